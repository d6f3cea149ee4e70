import type { DeliveryCheck } from '#contract/conversions.ts'
import { CodeBlock } from '../components/code-block.tsx'

/** Beside nothing to scroll to: an answer is one long line. */
const WRAPPED = 'max-h-60 whitespace-pre-wrap wrap-anywhere'

/** What the server sent, to the letter, and what came back. */
export function CopyDetails({ check: { request, response } }: { check: DeliveryCheck }) {
  const sent = `${request.method} ${request.url}\n\n${JSON.stringify(request.body, null, 2)}`
  return (
    <details className="w-full text-sm">
      <summary className="inline-flex min-h-11 cursor-pointer items-center font-semibold text-text-2 hover:text-ink">
        O que enviamos e a resposta
      </summary>
      <div className="grid grid-cols-1 gap-2 pb-1">
        <CodeBlock code={sent} className={WRAPPED} />
        {response === null ? (
          <p className="text-text-2">Nenhuma resposta veio.</p>
        ) : (
          <CodeBlock
            code={[`HTTP ${response.status}`, response.body].filter(Boolean).join('\n\n')}
            className={WRAPPED}
          />
        )}
      </div>
    </details>
  )
}
