import { CircleAlert, CircleCheck, CopyCheck, KeyRound } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatClock, formatMoney, formatTimestamp } from '#admin/lib/format.ts'
import { OUTCOME_NAME, type OutcomeReport, type OutcomeTestCall } from '#contract/outcomes.ts'

interface TestCallsCardProps {
  report: OutcomeReport
  /** Opens the form with this name. */
  onDeclare: (name: string) => void
  onMakeKey: () => void
}

/** The last calls with test keys, each with a verdict for whoever writes the integration. */
export function TestCallsCard({ report, onDeclare, onMakeKey }: TestCallsCardProps) {
  const { test_calls: calls, keys, rows } = report
  const hasKey = keys.some(({ mode }) => mode === 'test')
  const declared = new Set(rows.map(({ name }) => name))
  return (
    <Card role="region" aria-labelledby="test-heading">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 pt-4 pb-4 sm:px-5">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h3 id="test-heading" className="text-base tracking-tight">
            Modo de teste
          </h3>
          <p className="text-sm text-pretty text-text-2">
            Chamadas com uma chave de teste. Nada conta e nada vai às plataformas.
          </p>
        </div>
        {hasKey ? (
          <p role="status" className="flex items-center gap-2 text-sm text-text-2">
            <span aria-hidden="true" className="size-2 rounded-full bg-ok" />
            Aguardando a próxima chamada
          </p>
        ) : null}
      </header>
      {calls.length === 0 ? (
        <div className="border-t border-line">
          <EmptyState
            title={hasKey ? 'Nenhuma chamada ainda' : 'Teste antes de começar'}
            text={
              hasKey
                ? 'Envie uma chamada com a sua chave de teste: ela aparece aqui em segundos, com o que está certo ou errado.'
                : 'Com uma chave de teste, o seu sistema envia de verdade e você vê aqui o que está certo ou errado.'
            }
            action={
              hasKey ? null : (
                <Button onClick={onMakeKey}>
                  <KeyRound aria-hidden="true" />
                  Criar chave de teste
                </Button>
              )
            }
          />
        </div>
      ) : (
        <ol aria-label="Chamadas de teste">
          {calls.map((call) => (
            <TestCall
              key={call.id}
              call={call}
              isDeclared={call.name !== null && declared.has(call.name)}
              onDeclare={onDeclare}
            />
          ))}
        </ol>
      )}
    </Card>
  )
}

const LOOKS = {
  good: { icon: CircleCheck, className: 'text-ok' },
  again: { icon: CopyCheck, className: 'text-text-2' },
  bad: { icon: CircleAlert, className: 'text-bad' },
} as const

interface TestCallProps {
  call: OutcomeTestCall
  isDeclared: boolean
  onDeclare: (name: string) => void
}

function TestCall({ call, isDeclared, onDeclare }: TestCallProps) {
  const { at, name, outcome_id: id, value, currency } = call
  const verdict = judge(call, isDeclared)
  const { icon: Icon, className } = LOOKS[verdict.look]
  const details = [id, describeValue(value, currency)].filter((part) => part !== null)
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 border-t border-line px-4 py-3 sm:grid-cols-[auto_minmax(0,2fr)_minmax(0,3fr)] sm:px-5">
      <time dateTime={at} title={formatTimestamp(at)} className="text-sm text-text-2 tabular-nums">
        {formatClock(at)}
      </time>
      <div className="min-w-0">
        <p className="font-mono text-sm font-semibold wrap-anywhere">{name ?? 'sem nome'}</p>
        {details.length === 0 ? null : (
          <p className="text-sm wrap-anywhere text-text-2">{details.join(' · ')}</p>
        )}
      </div>
      <div className="flex gap-2 max-sm:col-start-2">
        <Icon aria-hidden="true" className={cn('mt-0.5 size-5 flex-none', className)} />
        <div className="min-w-0">
          <p className={cn('text-[0.9375rem] font-semibold', className)}>{verdict.title}</p>
          <p className="text-sm text-pretty wrap-anywhere text-text-2">{verdict.text}</p>
          {name !== null && verdict.offersName && OUTCOME_NAME.test(name) ? (
            <Button
              look="outline"
              className="mt-2"
              aria-label={`Criar este resultado: ${name}`}
              onClick={() => onDeclare(name)}
            >
              Criar este resultado
            </Button>
          ) : null}
        </div>
      </div>
    </li>
  )
}

/** As money where both are right, else as they came. */
function describeValue(value: string | null, currency: string | null): string | null {
  if (value === null) return currency
  if (currency === null) return value
  const isMoney = /^\d{1,20}(?:\.\d{1,4})?$/.test(value) && /^[A-Z]{3}$/.test(currency)
  return isMoney ? formatMoney(value, currency) : `${value} ${currency}`
}

interface Verdict {
  look: keyof typeof LOOKS
  title: string
  text: string
  offersName?: boolean
}

function judge({ status, code, field, outcome_id: id }: OutcomeTestCall, isDeclared: boolean): Verdict {
  if (status === 'accepted')
    return { look: 'good', title: 'Certo', text: 'Seria ligado a uma visita com consentimento.' }
  if (status === 'no_visit')
    return {
      look: 'good',
      title: 'Certo, sem visita',
      text: 'Contaria, mas sem ligação com uma visita: veio sem código de visita, ou com um que não vale mais.',
    }
  if (status === 'duplicate')
    return { look: 'again', title: 'Repetido', text: `O id ${id ?? ''} já tinha chegado. Não conta de novo.` }
  if (code === 'unknown_name')
    return isDeclared
      ? {
          look: 'again',
          title: 'Resultado criado depois',
          text: 'Agora ele existe. Envie a chamada de novo.',
        }
      : {
          look: 'bad',
          title: 'Este resultado não existe',
          text: 'Confira se o nome está escrito certo. Se estiver, crie o resultado.',
          offersName: true,
        }
  return { look: 'bad', ...(REFUSALS[`${code} ${field}`] ?? REFUSALS[code ?? ''] ?? UNKNOWN(field)) }
}

const UNKNOWN = (field: string | null) => ({
  title: field === null ? 'Chamada recusada' : `Campo "${field}" com erro`,
  text: 'A resposta da chamada diz o motivo. Nada foi salvo.',
})

/** By code and field, or by code. */
const REFUSALS: Readonly<Record<string, { title: string; text: string }>> = {
  'missing_field name': { title: 'Faltou o nome', text: 'Mande "name", como "primeira_venda".' },
  'missing_field id': { title: 'Faltou o id', text: 'Envie "id" com o seu número para este resultado.' },
  'missing_field currency': {
    title: 'Faltou a moeda',
    text: 'Com "value", envie também "currency", como "BRL".',
  },
  'missing_field value': { title: 'Faltou o valor', text: 'Com "currency", envie também "value".' },
  'invalid_field name': { title: 'Nome inválido', text: '"name" precisa ser um texto.' },
  'invalid_field id': { title: 'Id inválido', text: 'Use um texto de 1 a 64 caracteres.' },
  'invalid_field visit': {
    title: 'Visita inválida',
    text: 'Envie o código como veio no link, ou deixe o campo de fora.',
  },
  'invalid_field value': {
    title: 'Valor inválido',
    text: 'Use ponto e as casas da moeda, como "189.90". Não arredondamos.',
  },
  'invalid_field currency': { title: 'Moeda inválida', text: 'Use três letras maiúsculas, como "BRL".' },
  'invalid_field time': {
    title: 'Hora inválida',
    text: 'Use data, hora e fuso, como "2026-11-18T14:20:00-03:00".',
  },
  'invalid_field email_sha256': {
    title: 'Hash inválido',
    text: 'Envie o SHA-256 do e-mail, nunca o e-mail.',
  },
  'invalid_field email_sha256_google': {
    title: 'Hash inválido',
    text: 'Envie o SHA-256 do e-mail, nunca o e-mail.',
  },
  too_old: { title: 'Antigo demais', text: '"time" pode ser de até 90 dias atrás.' },
  too_far_ahead: {
    title: 'Hora no futuro',
    text: 'O relógio do seu sistema está mais de 5 minutos adiantado.',
  },
  conflict: {
    title: 'Id repetido com outro conteúdo',
    text: 'Este id já chegou com outros dados. Cada resultado precisa do seu.',
  },
  unknown_field: {
    title: 'Campo desconhecido',
    text: 'Confira se os nomes dos campos estão escritos certo.',
  },
  not_an_object: { title: 'Não é um resultado', text: 'Cada item precisa ser um objeto JSON, entre chaves.' },
}
