import { CircleAlert, CircleCheck, CircleDashed, Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from '#admin/components/copy-button.tsx'
import type { DeliveryCheck } from '#contract/conversions.ts'
import type { PixelType } from '#contract/pixel.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { readDebugMessages } from './read-debug-messages.ts'
import { ANSWERERS } from './vendor-names.ts'

const LOOKS = {
  accepted: { icon: CircleCheck, className: 'text-ok' },
  unconfirmed: { icon: CircleDashed, className: 'text-text-2' },
  refused: { icon: CircleAlert, className: 'text-bad' },
  waiting: { icon: Clock, className: 'text-warn' },
} as const

/** Beside nothing to scroll to: an answer is one long line. */
const WRAPPED = 'whitespace-pre-wrap wrap-anywhere'

interface CheckVerdictProps {
  type: PixelType
  check: DeliveryCheck
  /** True once the form holds something that was not checked. */
  isOld: boolean
  /** What came of the form. */
  children?: ReactNode
}

/** What was sent, to the letter, and what came back, in plain words first. */
export function CheckVerdict({ type, check, isOld, children }: CheckVerdictProps) {
  const { icon: Icon, className } = LOOKS[check.state]
  const { who } = ANSWERERS[type]
  const sent = JSON.stringify(check.request.body, null, 2)
  const messages = readDebugMessages(check.response?.body ?? '')
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex gap-2.5">
        <Icon aria-hidden="true" className={`mt-px size-5 flex-none ${className}`} />
        <div className="min-w-0 text-[0.9375rem]/[1.45] wrap-anywhere">
          <p className={`font-semibold ${className}`}>{nameVerdict(type, check, messages.length > 0)}</p>
          <p>{check.message}</p>
          {children ? <p className="font-semibold">{children}</p> : null}
          {isOld ? (
            <p className="text-sm text-text-2">Isto é da conferência anterior, sem as mudanças de agora.</p>
          ) : null}
        </div>
      </div>
      {messages.length === 0 ? null : (
        <ul aria-label="O que o Google apontou" className="grid grid-cols-1 gap-2 text-sm">
          {messages.map(({ field, meaning, text }) => (
            <li key={`${field} ${text}`} className="border-l-4 border-l-[#b25a12] pl-3 wrap-anywhere">
              {meaning}
              {field === '' ? null : (
                <>
                  {' '}
                  Em <span className="font-mono">{field}</span>.
                </>
              )}
              <span lang="en" className="block text-text-2">
                {text}
              </span>
            </li>
          ))}
        </ul>
      )}
      <section aria-label="O que enviamos">
        <header className="flex flex-wrap items-center gap-2 pb-1.5">
          <h3 className="min-w-0 flex-1 text-sm font-semibold tracking-normal">O que enviamos</h3>
          <CopyButton text={sent} />
        </header>
        <CodeBlock
          code={`${check.request.method} ${check.request.url}\n\n${sent}`}
          className={`max-h-72 ${WRAPPED}`}
        />
      </section>
      <section aria-label={`O que ${who} respondeu`}>
        <h3 className="pb-1.5 text-sm font-semibold tracking-normal">O que {who} respondeu</h3>
        {check.response === null ? (
          <p className="text-sm text-text-2">Nada: a resposta não veio.</p>
        ) : (
          <CodeBlock
            code={[`HTTP ${check.response.status}`, check.response.body].filter(Boolean).join('\n\n')}
            className={`max-h-60 ${WRAPPED}`}
          />
        )}
      </section>
    </div>
  )
}

/** Only what was observed: that no answer came is no refusal, and what Google does not say is not claimed. */
function nameVerdict(type: PixelType, { state, response }: DeliveryCheck, isPointedOut: boolean): string {
  const { Who, who } = ANSWERERS[type]
  if (response === null) return `Sem resposta: ${who} não respondeu`
  if (isPointedOut) return `${Who} apontou problemas no evento`
  return {
    accepted: `${Who} aceitou`,
    unconfirmed: `Enviado, ${who} não confirma`,
    refused: `${Who} recusou`,
    waiting: `${Who} não aceitou por enquanto`,
  }[state]
}
