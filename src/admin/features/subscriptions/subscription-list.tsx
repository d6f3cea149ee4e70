import { Check, Trash2 } from 'lucide-react'
import { Button, IconButton } from '#admin/components/button.tsx'
import { SearchInput, Select } from '#admin/components/inputs.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { LoadMore, type Pages } from '#admin/components/query-view.tsx'
import { ListToolbar } from '#admin/components/table.tsx'
import { EmailAddress } from '#admin/components/text.tsx'
import { formatMinute, formatNumber } from '#admin/lib/format.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Subscription, SubscriptionPage } from '#contract/newsletter.ts'
import type { SubscriptionFilter } from './api.ts'

interface SubscriptionListProps {
  pages: readonly SubscriptionPage[]
  filter: SubscriptionFilter
  onFilter: (filter: SubscriptionFilter) => void
  /** Null retries all of them. */
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
        title="Nenhuma inscrição ainda"
        text="Quem deixar o e-mail no rodapé do site aparece aqui, com a situação do envio ao webhook."
        {...(delivers
          ? {}
          : { lesson: 'Ainda não há um webhook configurado. As inscrições ficam salvas aqui até lá.' })}
      />
    )
  return (
    <>
      <ListToolbar
        summary={
          <>
            <b className="font-semibold text-ink">{formatCount(total, 'inscrição', 'inscrições')}</b>
            {delivers ? '' : ' · nenhum webhook configurado'}
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
          aria-label="Filtrar por situação"
          value={filter.status}
          onChange={(event) =>
            onFilter({ ...filter, status: event.target.value as SubscriptionFilter['status'] })
          }
          options={[
            ['all', `Todas (${formatNumber(total)})`],
            ['delivered', `Enviadas (${formatNumber(counts.delivered)})`],
            ['pending', `Na fila (${formatNumber(counts.pending)})`],
            ['failed', `Não enviadas (${formatNumber(counts.failed)})`],
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
          text="Tente outra busca ou remova o filtro."
          action={
            <Button look="outline" onClick={() => onFilter({ search: '', status: 'all' })}>
              Limpar busca e filtro
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
        <p className="leading-snug font-semibold">
          <EmailAddress value={email} />
        </p>
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
      {/* As wide with one button as with two, so that the columns of all rows line up. */}
      <div className="ml-auto flex items-center justify-end gap-1 sm:min-w-48">
        {status !== 'delivered' && delivers ? (
          <Button look="outline" aria-label={`Tentar agora: ${email}`} onClick={onRetry}>
            Tentar agora
          </Button>
        ) : null}
        <IconButton label={`Excluir: ${email}`} danger onClick={onErase}>
          <Trash2 aria-hidden="true" />
        </IconButton>
      </div>
    </li>
  )
}

const STATE_LABELS = { pending: 'Na fila', delivered: 'Enviada', failed: 'Não enviada' } as const

/** Below the state: when, or why not. */
export function describeDelivery(subscription: Subscription, delivers: boolean): string {
  const { status, attempts, delivered_at, next_attempt_at, last_error } = subscription
  if (status === 'delivered') return delivered_at === null ? '' : `Em ${formatMinute(delivered_at)}`
  const why = last_error === null ? null : explainError(last_error)
  if (status === 'failed') {
    const gaveUp = `Paramos depois de ${formatCount(attempts, 'tentativa', 'tentativas')}.`
    return why === null ? gaveUp : `${why} ${gaveUp}`
  }
  if (!delivers) return 'Salva até você configurar um webhook.'
  if (why === null) return 'Aguardando o primeiro envio.'
  return `${why} Nova tentativa em ${formatMinute(next_attempt_at)}.`
}

/** The webhook's answer, or why there was none. */
function explainError(error: string): string {
  const status = /^HTTP (\d{3})$/.exec(error)?.[1]
  if (status !== undefined) return `O webhook respondeu com o erro ${status}.`
  if (error === 'timeout') return 'O webhook demorou para responder.'
  if (error === 'ECONNREFUSED') return 'O webhook recusou a conexão.'
  if (error === 'ENOTFOUND' || error === 'EAI_AGAIN') return 'O endereço do webhook não foi encontrado.'
  return `Não foi possível acessar o webhook (${error}).`
}
