import { type FormEvent, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { type InventoryItem, REASON_MAX_LENGTH } from '#contract/inventory.ts'
import { useSaveReason } from './read-inventory.ts'

/** Why it is there, or the way to say so. */
export function ReasonNote({ item }: { item: InventoryItem }) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState(item.reason ?? '')
  const save = useSaveReason(item)
  if (!isOpen)
    return (
      <>
        {item.reason ?? <span className="text-text-2">Ninguém anotou.</span>}{' '}
        <QuietButton
          className="mx-0 inline-flex px-1"
          aria-label={`${item.reason === null ? 'Anotar o motivo' : 'Mudar o motivo'}: ${item.name}`}
          onClick={() => {
            setText(item.reason ?? '')
            setOpen(true)
          }}
        >
          {item.reason === null ? 'Anotar o motivo' : 'Mudar'}
        </QuietButton>
      </>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate(text, { onSuccess: () => setOpen(false) })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <Field label="Por que esta tag está no site?" className="flex-[1_1_16rem]">
        {(control) => (
          <Input
            {...control}
            autoFocus
            autoComplete="off"
            maxLength={REASON_MAX_LENGTH}
            placeholder="Medir as campanhas do verão"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" aria-disabled={save.isPending} className="min-h-12">
        Guardar
      </Button>
      <Button look="outline" className="min-h-12" onClick={() => setOpen(false)}>
        Cancelar
      </Button>
    </form>
  )
}
