import { Button } from '#admin/components/button.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { ListToolbar } from '#admin/components/list-toolbar.tsx'
import { SearchInput } from '#admin/components/search-input.tsx'
import { Select } from '#admin/components/select.tsx'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Subscription, SubscriptionPage } from '#contract/newsletter.ts'
import type { SubscriptionWish } from './read-subscriptions.ts'
import { SubscriptionItem } from './subscription-item.tsx'

interface SubscriptionListProps {
  pages: readonly SubscriptionPage[]
  wish: SubscriptionWish
  onWish: (wish: SubscriptionWish) => void
  /** Null tries all of them. */
  onRetry: (subscription: Subscription | null) => void
  onErase: (email: string) => void
  more: { isLoading: boolean; load: () => void } | null
}

export function SubscriptionList({ pages, wish, onWish, onRetry, onErase, more }: SubscriptionListProps) {
  const rows = pages.flatMap((page) => page.subscriptions)
  const { counts = { pending: 0, delivered: 0, failed: 0 }, delivers = false } = pages[0] ?? {}
  const total = counts.pending + counts.delivered + counts.failed
  const stuck = counts.pending + counts.failed
  useFocusAfterRemoval(rows.length)
  if (total === 0)
    return (
      <EmptyState
        title="Ninguém se inscreveu ainda"
        text="Quem deixar o e-mail no formulário do rodapé do site aparece aqui, com a situação da entrega ao webhook."
        {...(delivers
          ? {}
          : { lesson: 'Não há webhook configurado: as inscrições ficam guardadas até que haja um.' })}
      />
    )
  return (
    <>
      <ListToolbar
        summary={
          <>
            <b className="font-semibold text-ink">{formatCount(total, 'inscrição', 'inscrições')}</b>
            {delivers ? '' : `, ${total === 1 ? 'guardada' : 'guardadas'}: não há webhook configurado`}
          </>
        }
      >
        {delivers && stuck > 0 ? (
          <Button look="outline" onClick={() => onRetry(null)}>
            Tentar todas agora
          </Button>
        ) : null}
        <Select
          small
          aria-label="Situação"
          value={wish.status}
          onChange={(event) => onWish({ ...wish, status: event.target.value as SubscriptionWish['status'] })}
          options={[
            ['all', `Todas (${total.toLocaleString('pt-BR')})`],
            ['delivered', `Entregues (${counts.delivered.toLocaleString('pt-BR')})`],
            ['pending', `Na fila (${counts.pending.toLocaleString('pt-BR')})`],
            ['failed', `Falharam (${counts.failed.toLocaleString('pt-BR')})`],
          ]}
        />
        <SearchInput
          label="Buscar por e-mail"
          value={wish.search}
          onChange={(search) => onWish({ ...wish, search })}
        />
      </ListToolbar>
      {rows.length === 0 ? (
        <EmptyState
          title="Nenhuma inscrição encontrada"
          text="Nenhuma combina com a busca e a situação."
          action={
            <Button look="outline" onClick={() => onWish({ search: '', status: 'all' })}>
              Limpar busca e situação
            </Button>
          }
        />
      ) : (
        <ul aria-label="Inscrições">
          {rows.map((subscription) => (
            <SubscriptionItem
              key={subscription.id}
              subscription={subscription}
              delivers={delivers}
              onRetry={() => onRetry(subscription)}
              onErase={() => onErase(subscription.email)}
            />
          ))}
        </ul>
      )}
      {more === null ? null : (
        <div className="border-t border-line px-4 py-4 sm:px-5">
          <Button look="outline" aria-disabled={more.isLoading} onClick={() => more.isLoading || more.load()}>
            {more.isLoading ? 'Carregando' : 'Mostrar mais antigas'}
          </Button>
        </div>
      )}
    </>
  )
}
