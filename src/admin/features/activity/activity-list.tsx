import { Button } from '#admin/components/button.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { ListToolbar } from '#admin/components/list-toolbar.tsx'
import { SearchInput } from '#admin/components/search-input.tsx'
import { Select } from '#admin/components/select.tsx'
import type { ActivityPage } from '#contract/activity.ts'
import { formatCount } from '#contract/format-count.ts'
import { ActivityItem } from './activity-item.tsx'
import { groupByDay } from './group-by-day.ts'
import { type ActivityWish, NO_WISH } from './read-activity.ts'

const KINDS: readonly (readonly [ActivityWish['kind'], string])[] = [
  ['all', 'Tudo'],
  ['pixels', 'Pixels'],
  ['people', 'Pessoas'],
  ['sign_ins', 'Logins'],
  ['newsletter', 'Inscrições'],
  ['system', 'Sistema'],
]

interface ActivityListProps {
  pages: readonly ActivityPage[]
  wish: ActivityWish
  onWish: (wish: ActivityWish) => void
  more: { isLoading: boolean; load: () => void } | null
}

export function ActivityList({ pages, wish, onWish, more }: ActivityListProps) {
  const [first] = pages
  const days = groupByDay(
    pages.flatMap(({ events }) => events),
    Date.now(),
  )
  const isOpen = wish.search.trim() === '' && wish.by === '' && wish.kind === 'all'
  return (
    <>
      <ListToolbar summary={first === undefined ? '' : describeRetention(first)}>
        <div className="flex flex-wrap gap-2.5 max-sm:*:flex-[1_1_9rem]">
          <Select
            small
            aria-label="Tipo"
            value={wish.kind}
            onChange={(event) => onWish({ ...wish, kind: event.target.value as ActivityWish['kind'] })}
            options={KINDS}
          />
          <Select
            small
            aria-label="Quem"
            value={wish.by}
            onChange={(event) => onWish({ ...wish, by: event.target.value })}
            className="max-w-full sm:max-w-56"
            options={[
              ['', 'Todas as pessoas'],
              ...(first?.people ?? []).map(({ value, label }) => [value, label] as const),
            ]}
          />
        </div>
        <SearchInput
          label="Buscar na atividade"
          value={wish.search}
          onChange={(search) => onWish({ ...wish, search })}
        />
      </ListToolbar>
      {days.length > 0 ? (
        days.map(({ label, events }) => (
          <section key={label} aria-label={label} className="border-t border-line first-of-type:border-t-0">
            <h3 className="px-4 pt-4 pb-2 text-sm tracking-normal text-text-2 sm:px-5">{label}</h3>
            <ul>
              {events.map((event) => (
                <ActivityItem key={event.id} event={event} />
              ))}
            </ul>
          </section>
        ))
      ) : isOpen ? (
        <EmptyState
          title="Nada foi feito ainda"
          text="Cada mudança de pixel, de pessoa e cada login aparece aqui, com quem e quando."
        />
      ) : (
        <EmptyState
          title={more === null ? 'Nada encontrado' : 'Nada nos registros mais recentes'}
          text={
            more === null
              ? 'Nada do que está guardado combina com a busca e os filtros.'
              : 'A busca olha mil registros por vez.'
          }
          action={
            <Button look="outline" onClick={() => onWish(NO_WISH)}>
              Limpar busca e filtros
            </Button>
          }
        />
      )}
      {more === null ? null : (
        <div className="border-t border-line px-4 py-4 sm:px-5">
          <Button look="outline" aria-disabled={more.isLoading} onClick={() => more.isLoading || more.load()}>
            {more.isLoading ? 'Carregando' : isOpen ? 'Mostrar mais' : 'Procurar nos mais antigos'}
          </Button>
        </div>
      )}
    </>
  )
}

function describeRetention({ kept_days, failed_login_days }: ActivityPage): string {
  const days = (count: number) => formatCount(count, 'dia', 'dias')
  return `Guardada por ${days(kept_days)}; logins que falharam, por ${days(failed_login_days)}.`
}
