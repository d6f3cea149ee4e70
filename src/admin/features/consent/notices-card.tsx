import { Card } from '#admin/components/card.tsx'
import { formatDate } from '#admin/lib/format-date.ts'
import type { ConsentOverview } from '#contract/consent.ts'
import { formatShare } from '#contract/format-count.ts'
import { CHOICE_LABELS, CHOICE_STATES, sumChoices, wholeOf } from './sum-choices.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

/** What was chosen with each wording, and the words themselves. */
export function NoticesCard({ counts, notices }: Pick<ConsentOverview, 'counts' | 'notices'>) {
  const versions = [
    ...new Set([...notices.map(({ version }) => version), ...counts.map(({ text_version }) => text_version)]),
  ].sort((a, b) => b - a)
  const newest = notices[0]
  return (
    <Card role="region" aria-labelledby="notices-heading" className="flex flex-col">
      <header className="px-4 pt-4 pb-3 sm:px-5">
        <h3 id="notices-heading" className="text-base tracking-tight">
          Por versão do aviso
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Cada texto guardado como foi mostrado, com a sua impressão digital. Números do período acima.
        </p>
      </header>
      <section
        aria-label="Números por versão"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
        tabIndex={0}
        className="overflow-x-auto focus-visible:outline-offset-[-4px]"
      >
        <table className="w-full border-separate border-spacing-0 text-sm tabular-nums min-w-[27rem]">
          <thead className="text-[0.8125rem] text-text-2">
            <tr>
              <th scope="col" className="border-b border-line py-2 pr-3 pl-4 text-left font-medium sm:pl-5">
                Versão
              </th>
              {['Escolhas', ...CHOICE_STATES.map((state) => CHOICE_LABELS[state])].map((label) => (
                <th
                  key={label}
                  scope="col"
                  className="border-b border-line px-2 py-2 text-right font-medium last:pr-4 sm:last:pr-5"
                >
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => {
              const choices = sumChoices(counts.filter(({ text_version }) => text_version === version))
              const notice = notices.findLast((each) => each.version === version)
              return (
                <tr key={version}>
                  <th scope="row" className="border-b border-line py-2.5 pr-3 pl-4 text-left sm:pl-5">
                    {`Versão ${version}`}
                    <span className="block font-normal text-text-2">
                      {notice === undefined
                        ? 'texto não guardado'
                        : `desde ${formatDate(notice.first_served_at)}`}
                    </span>
                  </th>
                  <td className="border-b border-line px-2 py-2.5 text-right">
                    {NUMBER.format(wholeOf(choices))}
                  </td>
                  {CHOICE_STATES.map((state) => (
                    <td
                      key={state}
                      className="border-b border-line px-2 py-2.5 text-right last:pr-4 sm:last:pr-5"
                    >
                      {formatShare(choices[state], wholeOf(choices)) || '0'}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      {newest === undefined ? null : (
        <details className="px-4 py-3 sm:px-5">
          <summary className="flex min-h-11 cursor-pointer items-center text-[0.9375rem] font-semibold underline decoration-1 underline-offset-4">
            {`Ver o texto da versão ${newest.version}`}
          </summary>
          <p className="pb-2 font-mono text-xs wrap-anywhere text-text-2">{`sha256 ${newest.hash}`}</p>
          <p className="rounded-1 bg-paper px-4 py-3 text-sm whitespace-pre-line">{newest.text}</p>
        </details>
      )}
    </Card>
  )
}
