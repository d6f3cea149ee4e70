import { Cog, KeyRound, Mail, Tags, UserRound } from 'lucide-react'
import { useState } from 'react'
import { Button, CsvButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { SearchInput, Select } from '#admin/components/inputs.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { LoadingLines, LoadMore, type Pages, QueryView } from '#admin/components/query-view.tsx'
import { ListToolbar } from '#admin/components/table.tsx'
import { EmailAddress } from '#admin/components/text.tsx'
import { formatClock, formatDate } from '#admin/lib/format.ts'
import { useSettled } from '#admin/lib/queries.ts'
import { Link, paths, useFilter } from '#admin/lib/router.tsx'
import type { ActivityEvent, ActivityKind, ActivityPage } from '#contract/activity.ts'
import { DAY_MS } from '#contract/durations.ts'
import { formatCount } from '#contract/format-count.ts'
import { type ActivityFilter, NO_FILTER, useActivity, useExportActivity } from './api.ts'

const { kind: _kind, ...NOBODY } = NO_FILTER

/** Words of the address for each kind. */
const KIND_WORDS = {
  all: 'tudo',
  pixels: 'pixels',
  people: 'pessoas',
  sign_ins: 'logins',
  newsletter: 'inscricoes',
  system: 'sistema',
} as const satisfies Record<ActivityFilter['kind'], string>

/** Who did what in the dashboard and with service keys. */
export function ActivityScreen() {
  const [kind, setKind] = useFilter('tipo', KIND_WORDS, 'all')
  // Both may identify a person: they stay out of the address.
  const [people, setPeople] = useState(NOBODY)
  const filter = { ...people, kind }
  const setFilter = ({ kind: next, ...rest }: ActivityFilter) => {
    setKind(next)
    setPeople(rest)
  }
  const activity = useActivity({ ...filter, search: useSettled(filter.search) })
  const save = useExportActivity()
  return (
    <>
      <PageHeading
        title="Atividade"
        subtitle="Veja quem alterou pixels e usuários e quem entrou no painel."
        action={<CsvButton isPending={save.isPending} onSave={() => save.mutate(filter)} />}
      />
      <Card aria-busy={activity.isPending}>
        <QueryView
          query={activity}
          failure="Não foi possível carregar a atividade."
          loading={<LoadingLines label="Carregando a atividade" />}
        >
          {({ pages }) => <ActivityList pages={pages} filter={filter} onFilter={setFilter} more={activity} />}
        </QueryView>
      </Card>
    </>
  )
}

const KINDS: readonly (readonly [ActivityFilter['kind'], string])[] = [
  ['all', 'Tudo'],
  ['pixels', 'Pixels'],
  ['people', 'Usuários'],
  ['sign_ins', 'Logins'],
  ['newsletter', 'Inscrições'],
  ['system', 'Sistema'],
]

interface ActivityListProps {
  pages: readonly ActivityPage[]
  filter: ActivityFilter
  onFilter: (filter: ActivityFilter) => void
  more: Pages
}

function ActivityList({ pages, filter, onFilter, more }: ActivityListProps) {
  const [first] = pages
  const days = groupByDay(
    pages.flatMap(({ events }) => events),
    Date.now(),
  )
  const isOpen = filter.search.trim() === '' && filter.by === '' && filter.kind === 'all'
  return (
    <>
      <ListToolbar summary={first === undefined ? '' : describeRetention(first)}>
        <div className="flex flex-col gap-2.5 sm:flex-auto sm:flex-row sm:flex-wrap">
          <Select
            small
            aria-label="Filtrar por tipo"
            value={filter.kind}
            onChange={(event) => onFilter({ ...filter, kind: event.target.value as ActivityFilter['kind'] })}
            options={KINDS}
          />
          <Select
            small
            aria-label="Filtrar por usuário"
            value={filter.by}
            onChange={(event) => onFilter({ ...filter, by: event.target.value })}
            className="max-w-full sm:max-w-56"
            options={[
              ['', 'Todos os usuários'],
              ...(first?.people ?? []).map(({ value, label }) => [value, label] as const),
            ]}
          />
          <SearchInput
            label="Buscar na atividade"
            value={filter.search}
            onChange={(search) => onFilter({ ...filter, search })}
          />
        </div>
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
          title="Nenhuma atividade ainda"
          text="As mudanças em pixels e usuários e os logins aparecem aqui, com autor, data e hora."
        />
      ) : (
        <EmptyState
          title={!more.hasNextPage ? 'Nenhum resultado' : 'Nenhum resultado nos registros mais recentes'}
          text={
            !more.hasNextPage
              ? 'Tente outra busca ou remova os filtros.'
              : 'Buscamos nos 1.000 registros mais recentes. Continue a busca nos mais antigos.'
          }
          action={
            <Button look="outline" onClick={() => onFilter(NO_FILTER)}>
              Limpar busca e filtros
            </Button>
          }
        />
      )}
      <LoadMore query={more} text={isOpen ? 'Mostrar mais' : 'Buscar nos mais antigos'} />
    </>
  )
}

function describeRetention({ kept_days, failed_login_days }: ActivityPage): string {
  const days = (count: number) => formatCount(count, 'dia', 'dias')
  return `Guardamos a atividade por ${days(kept_days)} e as tentativas de login com erro por ${days(failed_login_days)}.`
}

const ICONS: Record<ActivityKind, typeof Cog> = {
  pixels: Tags,
  people: UserRound,
  sign_ins: KeyRound,
  newsletter: Mail,
  system: Cog,
}

function ActivityItem({ event }: { event: ActivityEvent }) {
  const Icon = ICONS[event.kind]
  const path = event.pixel_id === undefined ? undefined : paths.pixel(event.pixel_id)
  return (
    <li className="flex items-start gap-x-3 border-t border-line px-4 py-3 sm:gap-x-4 sm:px-5">
      <time dateTime={event.at} className="w-11 flex-none pt-0.5 text-sm text-text-2 tabular-nums">
        {formatClock(event.at).replace(':', 'h')}
      </time>
      <span
        aria-hidden="true"
        className="grid size-7 flex-none place-items-center rounded-[14px_14px_4px_4px] bg-[#e9ebe2] text-text-2 [&_svg]:size-4"
      >
        <Icon />
      </span>
      <div className="min-w-0 flex-1 sm:flex sm:items-start sm:gap-x-4">
        <p className="min-w-0 flex-1 pt-0.5 text-[0.9375rem] wrap-anywhere">
          <b className="font-semibold">
            <EmailAddress value={event.by} />
          </b>{' '}
          {event.text}
        </p>
        {path === undefined ? null : (
          <Link
            href={path}
            aria-label={`Abrir o pixel: ${event.text}`}
            className="-mx-1 -mb-2 inline-flex min-h-11 flex-none items-center px-1 text-sm text-text-2 underline underline-offset-4 hover:text-ink sm:mx-0 sm:-mt-2"
          >
            Abrir pixel
          </Link>
        )}
      </div>
    </li>
  )
}

interface ActivityDay {
  label: string
  events: ActivityEvent[]
}

/** Groups events in order by day of the site. */
export function groupByDay(events: readonly ActivityEvent[], now: number): ActivityDay[] {
  const days: ActivityDay[] = []
  const today = formatDate(now)
  const yesterday = formatDate(now - DAY_MS)
  for (const event of events) {
    const date = formatDate(event.at)
    const label = date === today ? 'Hoje' : date === yesterday ? 'Ontem' : date
    const day = days.at(-1)
    if (day?.label === label) day.events.push(event)
    else days.push({ label, events: [event] })
  }
  return days
}
