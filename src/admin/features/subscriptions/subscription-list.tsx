import { Check, Trash2 } from 'lucide-react'
import { Button, IconButton } from '#admin/components/button.tsx'
import { SearchInput, Select } from '#admin/components/inputs.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { LoadMore, type Pages } from '#admin/components/query-view.tsx'
import { ListToolbar } from '#admin/components/table.tsx'
import { formatMinute, formatNumber } from '#admin/lib/format.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Subscription, SubscriptionPage } from '#contract/newsletter.ts'
import type { SubscriptionFilter } from './api.ts'

interface SubscriptionListProps {
  pages: readonly SubscriptionPage[]
  filter: SubscriptionFilter
  onFilter: (filter: SubscriptionFilter) => void
  /** Null tries all of them. */
  onRetry: (subscription: Subscription | null) => void
  onErase: (email: string) => void
  more: Pages
}

export function SubscriptionList({ pages, filter, onFilter, onRetry, onErase, more }: SubscriptionListProps) {
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
          value={filter.status}
          onChange={(event) =>
            onFilter({ ...filter, status: event.target.value as SubscriptionFilter['status'] })
          }
          options={[
            ['all', `Todas (${formatNumber(total)})`],
            ['delivered', `Entregues (${formatNumber(counts.delivered)})`],
            ['pending', `Na fila (${formatNumber(counts.pending)})`],
            ['failed', `Falharam (${formatNumber(counts.failed)})`],
          ]}
        />
        <SearchInput
          label="Buscar por e-mail"
          value={filter.search}
          onChange={(search) => onFilter({ ...filter, search })}
        />
      </ListToolbar>
      {rows.length === 0 ? (
        <EmptyState
          title="Nenhuma inscrição encontrada"
          text="Nenhuma combina com a busca e a situação."
          action={
            <Button look="outline" onClick={() => onFilter({ search: '', status: 'all' })}>
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
      <LoadMore query={more} />
    </>
  )
}

interface SubscriptionItemProps {
  subscription: Subscription
  delivers: boolean
  onRetry: () => void
  onErase: () => void
}

function SubscriptionItem({ subscription, delivers, onRetry, onErase }: SubscriptionItemProps) {
  const { email, status, created_at } = subscription
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-1.5 border-t border-line py-3 pr-3 pl-4 first:border-t-0 sm:pl-5">
      <div className="min-w-0 flex-[1_1_15rem] wrap-anywhere">
        <p className="leading-snug font-semibold">{email}</p>
        <p className="text-sm text-text-2">
          <time dateTime={created_at}>{formatMinute(created_at)}</time>
        </p>
      </div>
      <div className="min-w-0 flex-[1_1_13rem] wrap-anywhere">
        <p className="flex items-center gap-1.5 text-[0.9375rem]">
          {status === 'delivered' ? (
            <>
              <Check aria-hidden="true" className="size-4 flex-none text-ok" />
              {STATE_LABELS.delivered}
            </>
          ) : (
            <span
              className={`chip rounded-full px-2.5 py-0.5 text-[0.8125rem] font-semibold ${status === 'failed' ? 'bg-bad-bg text-bad' : 'bg-[#e9ebe2]'}`}
            >
              {STATE_LABELS[status]}
            </span>
          )}
        </p>
        <p className="text-sm text-text-2">{describeDelivery(subscription, delivers)}</p>
      </div>
      {/* As wide with one button as with two, so that the columns of all rows stand in line. */}
      <div className="ml-auto flex items-center justify-end gap-1 sm:min-w-48">
        {status !== 'delivered' && delivers ? (
          <Button look="outline" aria-label={`Tentar agora: ${email}`} onClick={onRetry}>
            Tentar agora
          </Button>
        ) : null}
        <IconButton label={`Apagar: ${email}`} danger onClick={onErase}>
          <Trash2 aria-hidden="true" />
        </IconButton>
      </div>
    </li>
  )
}

const STATE_LABELS = { pending: 'Na fila', delivered: 'Entregue', failed: 'Falhou' } as const

/** Under the state: when, or why not. */
export function describeDelivery(subscription: Subscription, delivers: boolean): string {
  const { status, attempts, delivered_at, next_attempt_at, last_error } = subscription
  if (status === 'delivered') return delivered_at === null ? '' : `em ${formatMinute(delivered_at)}`
  const why = last_error === null ? null : explainError(last_error)
  if (status === 'failed') return [why, `desistimos após ${attempts} tentativas`].filter(Boolean).join('; ')
  if (!delivers) return 'guardada até que haja um webhook'
  if (why === null) return 'aguarda a primeira tentativa'
  return `${why}; nova tentativa em ${formatMinute(next_attempt_at)}`
}

/** What the webhook answered, or why nothing came. */
function explainError(error: string): string {
  const status = /^HTTP (\d{3})$/.exec(error)?.[1]
  if (status !== undefined) return `o webhook respondeu ${status}`
  if (error === 'timeout') return 'o webhook não respondeu a tempo'
  if (error === 'ECONNREFUSED') return 'o webhook recusou a conexão'
  if (error === 'ENOTFOUND' || error === 'EAI_AGAIN') return 'o endereço do webhook não foi encontrado'
  return `o webhook não foi alcançado (${error})`
}
