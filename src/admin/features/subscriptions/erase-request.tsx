import { type FormEvent, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { mayBeKnownEmail } from '#contract/known-email.ts'

interface EraseRequestProps {
  email: string
  onEmail: (email: string) => void
  /** Asks before anything is lost. */
  onErase: (email: string) => void
}

/** Who asks to be forgotten (LGPD, art. 18, VI) names an address; nobody has to look for it in the list. */
export function EraseRequest({ email, onEmail, onErase }: EraseRequestProps) {
  const [error, setError] = useState<string | undefined>(undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!mayBeKnownEmail(email)) return setError('Digite o e-mail de quem pediu.')
    setError(undefined)
    onErase(email.trim())
  }
  return (
    <Card className="mt-4">
      <form
        noValidate
        onSubmit={submit}
        className="flex flex-wrap items-start gap-x-8 gap-y-4 px-4 py-5 sm:px-5"
      >
        <div className="flex-[1_1_20rem]">
          <h3 className="text-base tracking-tight">Pedido de exclusão (LGPD)</h3>
          <p className="mt-1 text-sm text-pretty text-text-2">
            Apaga o e-mail da lista e da fila de entrega. Em Atividade fica só que uma inscrição foi apagada,
            por quem e quando.
          </p>
        </div>
        <div className="flex flex-[1_1_20rem] flex-wrap items-start gap-3">
          <Field label="E-mail de quem pediu" error={error} className="flex-[1_1_13rem]">
            {(control) => (
              <Input
                {...control}
                type="email"
                autoComplete="off"
                value={email}
                onChange={(event) => onEmail(event.target.value)}
              />
            )}
          </Field>
          <Button look="outline" type="submit" className="min-h-12 text-bad max-sm:w-full sm:mt-7">
            Apagar dados
          </Button>
        </div>
      </form>
    </Card>
  )
}
