import { Download } from 'lucide-react'
import { Button } from './button.tsx'

interface CsvButtonProps {
  isPending: boolean
  onSave: () => void
}

/** Saves the list as a file; a second press while that is under way does nothing. */
export function CsvButton({ isPending, onSave }: CsvButtonProps) {
  return (
    <Button look="outline" aria-disabled={isPending} onClick={() => isPending || onSave()}>
      <Download aria-hidden="true" />
      Baixar CSV
    </Button>
  )
}
