import { FileText } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { CONSENT_MAX_DAYS } from '#contract/consent.ts'
import { siteDate } from '#contract/site.ts'
import { useSaveDossier, useSaveRecords } from './download-files.ts'

const DAY_MS = 86_400_000

/** What an auditor gets for a period. */
export function DossierCard({ start }: { start: { from: string; to: string } }) {
  const [{ from, to }, setRange] = useState(start)
  const [error, setError] = useState<string | undefined>(undefined)
  const save = useSaveDossier()
  const saveRecords = useSaveRecords()
  const isBusy = save.isPending || saveRecords.isPending
  const whenSound = (act: () => void) => {
    const fault = findFault(from, to)
    setError(fault)
    if (fault === undefined && !isBusy) act()
  }
  const make = (format: 'html' | 'json') => whenSound(() => save.mutate({ from, to, format }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make('html')
  }
  return (
    <Card role="region" aria-labelledby="dossier-heading">
      <form noValidate onSubmit={submit} className="px-4 py-4 sm:px-5">
        <h3 id="dossier-heading" className="text-base tracking-tight">
          Dossiê
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Um arquivo só, que se lê e se imprime: números, avisos, tags no site em cada data, endereços, selos
          e como conferir. Nenhum visitante é identificado.
        </p>
        <div className="mt-4 grid gap-3 min-[420px]:grid-cols-2">
          <Field label="De" error={error}>
            {(control) => (
              <Input
                {...control}
                type="date"
                required
                max={siteDate(Date.now())}
                value={from}
                onChange={(event) => setRange({ from: event.target.value, to })}
              />
            )}
          </Field>
          <Field label="Até">
            {(control) => (
              <Input
                {...control}
                type="date"
                required
                max={siteDate(Date.now())}
                value={to}
                onChange={(event) => setRange({ from, to: event.target.value })}
              />
            )}
          </Field>
        </div>
        <div className="mt-4 flex flex-wrap gap-3">
          <Button type="submit" aria-disabled={isBusy} className="max-sm:w-full">
            <FileText aria-hidden="true" />
            {save.isPending ? 'Gerando' : 'Gerar dossiê'}
          </Button>
          <Button
            look="outline"
            aria-disabled={isBusy}
            className="max-sm:w-full"
            onClick={() => make('json')}
          >
            Baixar em JSON
          </Button>
          <Button
            look="outline"
            aria-disabled={isBusy}
            className="max-sm:w-full"
            onClick={() => whenSound(() => saveRecords.mutate({ from, to }))}
          >
            Baixar os registros
          </Button>
        </div>
        <p className="mt-3 text-sm text-pretty text-text-2">
          Os registros são o que um auditor confere sem confiar em nós, com{' '}
          <span className="font-mono wrap-anywhere">npm run evidence -- verify</span>.
        </p>
      </form>
    </Card>
  )
}

function findFault(from: string, to: string): string | undefined {
  if (from === '' || to === '') return 'Escolha as duas datas.'
  if (from > to) return 'O início precisa vir antes do fim.'
  if (from > siteDate(Date.now())) return 'O período ainda não começou.'
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= CONSENT_MAX_DAYS)
    return `O período pode ter até ${CONSENT_MAX_DAYS} dias.`
  return undefined
}
