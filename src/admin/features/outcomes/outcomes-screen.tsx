import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button, CopyButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Segment } from '#admin/components/chart-card.tsx'
import { HelpLink } from '#admin/components/help-link.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { useFilter } from '#admin/lib/router.tsx'
import type {
  CreatedOutcomeKey,
  OutcomeDeliveries,
  OutcomeDestination,
  OutcomeMode,
  OutcomeReport,
  OutcomeRow,
} from '#contract/outcomes.ts'
import { PERIODS, type Period, useOutcomes } from './api.ts'
import { EventForm } from './event-form.tsx'
import { FiguresCard } from './figures-card.tsx'
import { describeCall, HowToSend } from './how-to-send.tsx'
import { KeyForm, KeysCard } from './keys-card.tsx'
import { NameForm } from './name-form.tsx'
import { TestCallsCard } from './test-calls-card.tsx'

const MODE_WORDS = { live: 'valendo', test: 'teste' } as const satisfies Record<OutcomeMode, string>
const MODE_LABELS: Record<OutcomeMode, string> = { live: 'Valendo', test: 'Teste' }
const MODES = ['live', 'test'] as const

const PERIOD_WORDS: Record<Period, string> = { 7: '7', 30: '30', 90: '90' }

/** What the customer's own system confirmed, and the keys that it uses. */
export function OutcomesScreen() {
  const [mode, setMode] = useFilter('modo', MODE_WORDS, 'live')
  const [days, setDays] = useFilter<Period>('dias', PERIOD_WORDS, '30')
  const outcomes = useOutcomes(mode, days)
  return (
    <>
      <PageHeading
        title="Resultados"
        subtitle="O que o seu sistema confirma depois do clique: conta aprovada, primeira venda."
        action={
          <Segment
            label="Modo"
            options={MODES}
            current={mode}
            labelOf={(each) => MODE_LABELS[each]}
            onChange={setMode}
          />
        }
      />
      <QueryView
        query={outcomes}
        failure="Não foi possível carregar os resultados. Os que chegarem agora continuam sendo contados."
        loading={
          <Card aria-busy>
            <LoadingLines label="Carregando os resultados" className="h-56 w-full" />
          </Card>
        }
        frame={(said) => <Card className="mb-4">{said}</Card>}
      >
        {(report) => (
          <Loaded
            report={report}
            days={days}
            isOfBefore={outcomes.isPlaceholderData}
            onDays={setDays}
            periods={PERIODS}
          />
        )}
      </QueryView>
    </>
  )
}

interface LoadedProps {
  report: OutcomeReport
  days: Period
  periods: readonly Period[]
  /** The figures belong to the previous period; the chosen one is loading. */
  isOfBefore: boolean
  onDays: (days: Period) => void
}

type Open =
  | { form: 'key'; mode: OutcomeMode }
  | { form: 'name'; name: string; label: string | null }
  | { form: 'event'; row: OutcomeRow; destination: OutcomeDestination; deliveries: OutcomeDeliveries }
  | null

function Loaded({ report, days, periods, isOfBefore, onDays }: LoadedProps) {
  const [open, setOpen] = useState<Open>(null)
  const [made, setMade] = useState<CreatedOutcomeKey | null>(null)
  const { mode, rows, keys, max_keys: maxKeys } = report
  const declare = (name = '') => setOpen({ form: 'name', name, label: null })
  const makeKey = () => setOpen({ form: 'key', mode })
  const isUnused = mode === 'live' && rows.length === 0 && keys.length === 0 && made === null
  const example = rows[0]?.name
  return (
    <div className="grid gap-4">
      {isUnused ? (
        <Card>
          <EmptyState
            picture={<WayBack />}
            title="Saiba quem virou cliente"
            text={
              'Hoje o painel só sabe quem clicou em "Abrir Conta". Quando o seu sistema informa quem teve a conta aprovada e quem vendeu, você vê aqui quantos são e quanto valem.'
            }
            action={
              <div className="flex flex-wrap justify-center gap-3 max-sm:*:w-full">
                <Button onClick={makeKey}>
                  <KeyRound aria-hidden="true" />
                  Criar chave de API
                </Button>
                <CopyButton text={describeCall(report)} label="Copiar instruções para a equipe de TI" />
                <HelpLink topic="resultados" inText className="justify-center" />
              </div>
            }
          />
        </Card>
      ) : (
        <>
          {mode === 'test' ? (
            <TestCallsCard report={report} onDeclare={declare} onMakeKey={makeKey} />
          ) : (
            <FiguresCard
              report={report}
              days={days}
              periods={periods}
              isOfBefore={isOfBefore}
              onDays={onDays}
              onDeclare={() => declare()}
              onRename={({ name, label }) => setOpen({ form: 'name', name, label })}
              onChoose={(row, destination, deliveries) =>
                setOpen({ form: 'event', row, destination, deliveries })
              }
            />
          )}
          <HowToSend report={report} example={example} />
          <KeysCard
            keys={keys}
            maxKeys={maxKeys}
            made={made}
            onMake={makeKey}
            onStored={() => setMade(null)}
          />
        </>
      )}
      {open?.form === 'key' ? (
        <KeyForm
          mode={open.mode}
          onClose={() => setOpen(null)}
          onMade={(key) => {
            setMade(key)
            setOpen(null)
          }}
        />
      ) : null}
      {open?.form === 'name' ? (
        <NameForm name={open.name} label={open.label} onClose={() => setOpen(null)} />
      ) : null}
      {open?.form === 'event' ? (
        <EventForm
          row={open.row}
          destination={open.destination}
          deliveries={open.deliveries}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </div>
  )
}

/** From the ad to the click, to the sale, and back. */
function WayBack() {
  return (
    <svg
      viewBox="0 0 440 176"
      fill="none"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="h-auto w-[min(27.5rem,70vw)]"
    >
      <path className="stroke-ink" d="M8 124h424" />
      <rect x="36" y="60" width="72" height="64" rx="8" className="fill-surface stroke-ink" />
      <rect x="46" y="70" width="52" height="28" rx="4" className="fill-paper" />
      <path className="stroke-text-2" d="M46 107h34M46 115h20" />
      <path className="stroke-text-2" strokeDasharray="4 5" d="M116 96h68M256 96h68" />
      <path className="fill-accent stroke-ink" d="M192 124V68a28 28 0 0 1 56 0v56z" />
      <path className="stroke-ink" strokeWidth="2.5" d="m209 92 8 8 15-17" />
      <path className="fill-surface stroke-ink" d="M332 124V46h72v78l-9-6-9 6-9-6-9 6-9-6-9 6-9-6z" />
      <path className="stroke-text-2" d="M346 62h30M346 72h44" />
      <path className="stroke-ink" strokeWidth="2.5" d="M346 98h24M384 98h6" />
      <path
        className="stroke-ink"
        strokeWidth="2"
        d="M368 136v8a14 14 0 0 1-14 14H86a14 14 0 0 1-14-14v-6m-7 6 7-8 7 8"
      />
    </svg>
  )
}
