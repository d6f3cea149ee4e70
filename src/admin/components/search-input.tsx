import { Search } from 'lucide-react'
import { CONTROL } from './field.tsx'

interface SearchInputProps {
  label: string
  value: string
  onChange: (value: string) => void
}

export function SearchInput({ label, value, onChange }: SearchInputProps) {
  return (
    <div className="relative flex-1 sm:w-[300px] sm:flex-none">
      <Search className="pointer-events-none absolute top-3 left-3.5 size-5 text-text-2" aria-hidden="true" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${CONTROL} min-h-11 pl-11`}
      />
    </div>
  )
}
