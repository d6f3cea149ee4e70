import { Check, Copy, Download } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { cn } from '../lib/cn.ts'

interface CopyButtonProps {
  text: string
  label?: string
  look?: 'outline' | 'onInk'
  className?: string
}

/** Confirms on itself; a refusal of the browser is shown beside it, where no dialog hides it. */
export function CopyButton({ text, label = 'Copiar', look = 'outline', className }: CopyButtonProps) {
  const [copied, setCopied] = useState<string | null>(null)
  const [refused, setRefused] = useState(false)
  const done = copied === text
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(text)
      setRefused(false)
    } catch {
      setRefused(true)
    }
  }
  return (
    <>
      <Button look={look} onClick={copy} {...(className === undefined ? {} : { className })}>
        {done ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        <span aria-live="polite">{done ? 'Copiado' : label}</span>
      </Button>
      {refused ? (
        <p role="alert" className="order-last flex-[1_0_100%] text-sm text-bad">
          O navegador não permitiu copiar. Selecione o texto e use Ctrl+C (no Mac, ⌘C).
        </p>
      ) : null}
    </>
  )
}

interface CsvButtonProps {
  isPending: boolean
  onSave: () => void
}

/** Saves the list as a file. */
export function CsvButton({ isPending, onSave }: CsvButtonProps) {
  return (
    <Button look="outline" pending={isPending} onClick={onSave}>
      <Download aria-hidden="true" />
      Baixar CSV
    </Button>
  )
}

const LOOKS = {
  solid: 'button-solid',
  outline: 'button-outline',
  danger: 'button-danger',
  onInk: 'button-on-ink',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof LOOKS
  /** While the action runs, clicks and Enter do nothing, and the focus stays. */
  pending?: boolean
}

export function Button({ look = 'solid', type = 'button', pending = false, ...props }: ButtonProps) {
  const { className, ...rest } = props
  return (
    <button
      type={type}
      className={cn('button', LOOKS[look], className)}
      {...rest}
      {...(pending ? PENDING : {})}
    />
  )
}

/** Not `disabled`, which would lose the focus. */
const PENDING: ComponentProps<'button'> = {
  'aria-disabled': true,
  onClick: (event) => event.preventDefault(),
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** For screen readers and on hover. */
  label: string
  danger?: boolean
}

export function IconButton({ label, danger = false, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={cn('icon-button', danger && 'icon-button-danger', className)}
      {...props}
    />
  )
}

/** A button that looks like a link, for the secondary action. */
export function QuietButton({ className, pending = false, ...props }: Omit<ButtonProps, 'look'>) {
  return (
    <button type="button" className={cn('quiet-link', className)} {...props} {...(pending ? PENDING : {})} />
  )
}
