import { CopyButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import type { OutcomeReport } from '#contract/outcomes.ts'

const FIELDS: readonly (readonly [names: string, meaning: string])[] = [
  ['name', 'O que aconteceu. O nome precisa ter sido criado no painel.'],
  ['id', 'O seu número para este resultado. Se chegar de novo, conta uma vez só.'],
  [
    'visit',
    'Opcional. O código que o link de "Abrir Conta" entrega ao seu cadastro como portico_visit, só de quem aceitou cookies. Sem ele o resultado conta, mas sem ligação com uma visita.',
  ],
  ['value, currency', 'Opcionais. Envie os dois juntos: "189.90" e "BRL".'],
  ['time', 'Opcional. Quando aconteceu, até 90 dias atrás, com fuso: "2026-11-18T14:20:00-03:00".'],
]

interface HowToSendProps {
  report: OutcomeReport
  /** A declared name; undefined if there is none. */
  example: string | undefined
}

/** One call per outcome, for whoever runs the customer's system. */
export function HowToSend({ report, example }: HowToSendProps) {
  const command = writeCurl(report, example)
  return (
    <Card role="region" aria-labelledby="how-to-send">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-4 sm:px-5">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h3 id="how-to-send" className="text-base tracking-tight">
            Como enviar
          </h3>
          <p className="text-sm text-pretty text-text-2">
            Uma chamada por resultado, do servidor do seu sistema, na hora em que acontece.
          </p>
        </div>
        <CopyButton
          text={describeCall(report, example)}
          label="Copiar instruções para a equipe de TI"
          className="max-sm:w-full"
        />
      </header>
      <div className="grid gap-5 px-4 pb-5 sm:px-5 lg:grid-cols-2">
        <div className="on-ink min-w-0 rounded-1">
          <div className="flex flex-wrap items-center justify-between gap-2 py-2 pr-2 pl-4 text-sm text-on-ink-2">
            <span>Linha de comando</span>
            <CopyButton text={command} look="onInk" />
          </div>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
            tabIndex={0}
            className="overflow-x-auto px-4 pb-4 font-mono text-[0.8125rem]/[1.7] focus-visible:outline-offset-[-4px]"
          >
            <code>{command}</code>
          </pre>
        </div>
        <dl className="grid content-start gap-3 text-sm">
          {FIELDS.map(([names, meaning]) => (
            <div key={names} className="grid gap-x-4 sm:grid-cols-[8.5rem_minmax(0,1fr)]">
              <dt className="font-mono text-[0.8125rem] font-semibold">{names}</dt>
              <dd className="text-pretty text-text-2">{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}

function writeCurl({ mode, url }: Pick<OutcomeReport, 'mode' | 'url'>, name = 'primeira_venda'): string {
  return `curl ${url} \\
  -H "Authorization: Bearer ${mode === 'test' ? 'SUA_CHAVE_DE_TESTE' : 'SUA_CHAVE'}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "${name}",
    "id": "pedido-48213",
    "value": "189.90",
    "currency": "BRL"
  }'`
}

/** The same as text, for an email to somebody without access to the dashboard. */
export function describeCall(report: Pick<OutcomeReport, 'mode' | 'url'>, name?: string): string {
  return [
    'Envie cada resultado do servidor do nosso sistema, na hora em que acontece:',
    '',
    writeCurl(report, name),
    '',
    ...FIELDS.map(([names, meaning]) => `${names}: ${meaning}`),
    '',
    'A resposta traz um resultado para cada item: accepted, no_visit (contou, sem visita), duplicate (já tinha chegado) ou refused, com o campo errado. A chave é secreta: nunca a coloque em uma página.',
  ].join('\n')
}
