import { useState } from 'react'
import { Card } from '#admin/components/card.tsx'
import { ConfirmDialog } from '#admin/components/confirm-dialog.tsx'
import { CsvButton } from '#admin/components/csv-button.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { useSettled } from '#admin/lib/use-settled.ts'
import { useErase, useExport, useRetry } from './change-subscriptions.ts'
import { EraseRequest } from './erase-request.tsx'
import { type SubscriptionWish, useSubscriptions } from './read-subscriptions.ts'
import { SubscriptionList } from './subscription-list.tsx'

/** Who asked for the newsletter, and whether the webhook has them. */
export function SubscriptionsScreen() {
  const [wish, setWish] = useState<SubscriptionWish>({ search: '', status: 'all' })
  const [toErase, setToErase] = useState<string | null>(null)
  const [named, setNamed] = useState('')
  const subscriptions = useSubscriptions({ ...wish, search: useSettled(wish.search).trim() })
  const counts = subscriptions.data?.pages[0]?.counts
  const isEmpty = counts !== undefined && counts.pending + counts.delivered + counts.failed === 0
  const retry = useRetry()
  const erase = useErase()
  const save = useExport()
  return (
    <>
      <PageHeading
        title="Inscrições"
        subtitle="Quem pediu para receber a newsletter, e se o webhook já tem o endereço."
        action={isEmpty ? null : <CsvButton isPending={save.isPending} onSave={() => save.mutate()} />}
      />
      <Card aria-busy={subscriptions.isPending}>
        {subscriptions.data ? (
          <SubscriptionList
            pages={subscriptions.data.pages}
            wish={wish}
            onWish={setWish}
            onRetry={(one) => retry.isPending || retry.mutate(one)}
            onErase={setToErase}
            more={
              subscriptions.hasNextPage
                ? {
                    isLoading: subscriptions.isFetchingNextPage,
                    load: () => void subscriptions.fetchNextPage(),
                  }
                : null
            }
          />
        ) : subscriptions.isError ? (
          <LoadFailure
            error={subscriptions.error}
            fallback="Não deu para carregar as inscrições."
            onRetry={() => void subscriptions.refetch()}
          />
        ) : (
          <div className="grid gap-4 p-5">
            <p role="status" className="sr-only">
              Carregando inscrições
            </p>
            <Skeleton className="h-4 w-56 rounded-md" />
            <Skeleton className="h-3 w-72 max-w-full rounded-md" />
          </div>
        )}
      </Card>
      <EraseRequest email={named} onEmail={setNamed} onErase={setToErase} />
      {toErase === null ? null : (
        <ConfirmDialog
          title="Apagar os dados desta pessoa?"
          description={`${toErase} sai da lista e da fila de entrega. Isso não pode ser desfeito.`}
          confirmLabel="Apagar"
          onCancel={() => setToErase(null)}
          onConfirm={() => {
            // What was typed stays until it is done: a refusal or a change of mind loses nothing.
            erase.mutate(toErase, { onSuccess: () => setNamed('') })
            setToErase(null)
          }}
        />
      )}
    </>
  )
}
