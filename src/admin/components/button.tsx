import { Check, Copy, Download } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { cn } from '../lib/cn.ts'

/** Says on itself that it was done; that the browser refused stands beside it, where no dialog hides it. */
export function CopyButton({ text, className }: { text: string; className?: string }) {
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
      <Button look="outline" onClick={copy} {...(className === undefined ? {} : { className })}>
        {done ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        <span aria-live="polite">{done ? 'Copiado' : 'Copiar'}</span>
      </Button>
      {refused ? (
        <p role="alert" className="order-last flex-[1_0_100%] text-sm text-bad">
          O navegador não deixou copiar. Selecione o texto e copie com Ctrl+C.
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
  /** What it started is under way: a click, or Enter in its form, does nothing, and the focus stays on it. */
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

/** Not `disabled`: that would take the focus away. */
const PENDING: ComponentProps<'button'> = {
  'aria-disabled': true,
  onClick: (event) => event.preventDefault(),
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** Spoken, and shown on hover. */
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

/** A button that looks like a link: the other way to go, beside the main one. */
export function QuietButton({ className, pending = false, ...props }: Omit<ButtonProps, 'look'>) {
  return (
    <button type="button" className={cn('quiet-link', className)} {...props} {...(pending ? PENDING : {})} />
  )
}
