import { CircleCheck, CircleDot, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react'
import type { TestStep } from '#contract/tag-test.ts'
import { CopyDetails } from './copy-details.tsx'
import { describeStep, formatMoment, type StepWords } from './describe-step.ts'

const ICONS: Record<StepWords['tone'], [typeof CircleCheck, string, string]> = {
  ok: [CircleCheck, 'text-ok', 'Certo: '],
  bad: [CircleX, 'text-bad', 'Problema: '],
  warn: [TriangleAlert, 'text-warn', 'Atenção: '],
  plain: [CircleDot, 'text-text-2', ''],
}

/** What the page saw, in the order in which it saw it. */
export function TestSteps({ steps, waitsFor }: { steps: readonly TestStep[]; waitsFor: string | null }) {
  return (
    <ol aria-live="polite" aria-relevant="additions" className="py-1">
      {steps.map((step, index) => {
        const { tone, title, text, mark } = describeStep(step)
        const [Icon, colour, spoken] = ICONS[tone]
        return (
          <li
            // Steps are only ever added.
            // biome-ignore lint/suspicious/noArrayIndexKey: its place is what a step is known by.
            key={index}
            className="grid grid-cols-[3.25rem_1.25rem_minmax(0,1fr)] items-start gap-x-3 border-t border-line px-4 py-3 first:border-t-0 sm:px-5"
          >
            <span className="pt-0.5 text-right text-sm text-text-2 tabular-nums">
              {formatMoment(step.at)}
            </span>
            <Icon aria-hidden="true" className={`mt-0.5 size-5 ${colour}`} />
            <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
              <div className="min-w-0 flex-[1_1_14rem] wrap-anywhere">
                <b className="font-semibold">
                  <span className="sr-only">{spoken}</span>
                  {title}
                </b>
                {text ? <p className="text-sm text-pretty text-text-2">{text}</p> : null}
              </div>
              {mark ? <span className="text-sm font-semibold text-text-2">{mark}</span> : null}
              {step.copy?.check ? <CopyDetails check={step.copy.check} /> : null}
            </div>
          </li>
        )
      })}
      {waitsFor === null ? null : (
        <li className="grid grid-cols-[3.25rem_1.25rem_minmax(0,1fr)] items-start gap-x-3 border-t border-line px-4 py-3 text-text-2 first:border-t-0 sm:px-5">
          <span />
          <LoaderCircle aria-hidden="true" className="mt-0.5 size-5 motion-safe:animate-spin" />
          {waitsFor}
        </li>
      )}
    </ol>
  )
}
