import { type FormEvent, useState } from 'react'
import { Button, CsvButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { ConfirmDialog } from '#admin/components/modal.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { useSettled } from '#admin/lib/queries.ts'
import { useFilter } from '#admin/lib/router.tsx'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import { type SubscriptionFilter, useErase, useExport, useRetry, useSubscriptions } from './api.ts'
import { SubscriptionList } from './subscription-list.tsx'

/** Words of the address for each state. */
const STATUS_WORDS = {
  all: 'todas',
  pending: 'na-fila',
  delivered: 'entregues',
  failed: 'falharam',
} as const satisfies Record<SubscriptionFilter['status'], string>

/** Subscriptions, and whether the webhook has them. */
export function SubscriptionsScreen() {
  const [status, setStatus] = useFilter('situacao', STATUS_WORDS, 'all')
  // Usually an email: it stays out of the address.
  const [search, setSearch] = useState('')
  const [toErase, setToErase] = useState<string | null>(null)
  const [named, setNamed] = useState('')
  const subscriptions = useSubscriptions({ status, search: useSettled(search).trim() })
  const counts = subscriptions.data?.pages[0]?.counts
  const isEmpty = counts !== undefined && counts.pending + counts.delivered + counts.failed === 0
  const retry = useRetry()
  const erase = useErase()
  const save = useExport()
  return (
    <>
      <PageHeading
        title="Inscrições"
        subtitle="Quem se inscreveu na newsletter e a situação do envio ao webhook."
        action={isEmpty ? null : <CsvButton isPending={save.isPending} onSave={() => save.mutate()} />}
      />
      <Card aria-busy={subscriptions.isPending}>
        <QueryView
          query={subscriptions}
          failure="Não foi possível carregar as inscrições."
          loading={<LoadingLines label="Carregando inscrições" />}
        >
          {({ pages }) => (
            <SubscriptionList
              pages={pages}
              filter={{ status, search }}
              onFilter={(filter) => {
                setStatus(filter.status)
                setSearch(filter.search)
              }}
              onRetry={(one) => retry.mutate(one)}
              onErase={setToErase}
              more={subscriptions}
            />
          )}
        </QueryView>
      </Card>
      <EraseRequest email={named} onEmail={setNamed} onErase={setToErase} />
      {toErase === null ? null : (
        <ConfirmDialog
          title="Excluir os dados desta pessoa?"
          description={`${toErase} sai da lista e da fila de envio. Esta ação não pode ser desfeita.`}
          confirmLabel="Excluir dados"
          onCancel={() => setToErase(null)}
          onConfirm={() => {
            // What was typed stays until it is done.
            erase.mutate(toErase, { onSuccess: () => setNamed('') })
            setToErase(null)
          }}
        />
      )}
    </>
  )
}

interface EraseRequestProps {
  email: string
  onEmail: (email: string) => void
  /** Asks before anything is lost. */
  onErase: (email: string) => void
}

/** A person who asks to be erased (LGPD, art. 18, VI) names an address; it need not be found in the list. */
function EraseRequest({ email, onEmail, onErase }: EraseRequestProps) {
  const [error, setError] = useState<string | undefined>(undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!mayBeKnownEmail(email)) return setError('Digite o e-mail de quem fez o pedido.')
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
            Exclui o e-mail da lista e da fila de envio. Em Atividade, fica registrado quem excluiu e quando,
            sem o e-mail.
          </p>
        </div>
        <div className="flex flex-[1_1_20rem] flex-wrap items-start gap-3">
          <Field label="E-mail de quem fez o pedido" error={error} className="flex-[1_1_13rem]">
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
            Excluir dados
          </Button>
        </div>
      </form>
    </Card>
  )
}
