import { Eye, EyeOff, Search } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { IconButton } from './button.tsx'

/** Six digits, suggested by a phone's keyboard when they have just arrived. */
export function CodeInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  return (
    <Input
      {...props}
      type="text"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={7}
      placeholder="000000"
      className="text-center text-2xl tracking-[0.3em] tabular-nums"
    />
  )
}

export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  const [shown, setShown] = useState(false)
  return (
    <div className="relative">
      <Input
        {...props}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        className="pr-13"
      />
      <IconButton
        label={shown ? 'Ocultar senha' : 'Mostrar senha'}
        onClick={() => setShown(!shown)}
        className="absolute top-0.5 right-0.5"
      >
        {shown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
      </IconButton>
    </div>
  )
}

interface SearchInputProps {
  label: string
  value: string
  onChange: (value: string) => void
}

export function SearchInput({ label, value, onChange }: SearchInputProps) {
  return (
    <div className="relative max-sm:w-full sm:flex-[1_1_17rem] lg:max-w-[300px]">
      <Search className="pointer-events-none absolute top-3 left-3.5 size-5 text-text-2" aria-hidden="true" />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-11 pl-11"
      />
    </div>
  )
}

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn('control', className)} {...props} />
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'children'> {
  /** Value and label, in order. */
  options: readonly (readonly [value: string, label: string])[]
  /** For use among buttons, not in a form. */
  small?: boolean
}

/** The native control with our own arrow. */
export function Select({ options, small = false, className, ...props }: SelectProps) {
  return (
    <select className={cn('control select', small && 'select-small', className)} {...props}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
