import { Search } from 'lucide-react'
import { Input } from './input.tsx'

interface SearchInputProps {
  label: string
  value: string
  onChange: (value: string) => void
}

export function SearchInput({ label, value, onChange }: SearchInputProps) {
  return (
    <div className="relative sm:flex-[1_1_17rem] lg:max-w-[300px]">
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
