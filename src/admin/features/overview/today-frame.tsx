import type { ReactNode } from 'react'

interface TodayFrameProps {
  when?: string
  /** What the tags cost a visit; undefined where nobody measured. */
  budget?: string | undefined
  note?: string
  isBusy?: boolean
  children?: ReactNode
}

/** The wall that the figures stand on. It has its height before they come, so that the list under it never moves. */
export function TodayFrame({ when, budget, note, isBusy = false, children }: TodayFrameProps) {
  return (
    <section
      aria-labelledby="today-heading"
      aria-busy={isBusy}
      className="today on-ink mb-4 flex flex-col rounded-2xl px-5 pt-4 pb-1 sm:pb-4"
    >
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h3 id="today-heading" className="text-base">
          Hoje
        </h3>
        {when ? <p className="text-[0.8125rem] text-on-ink-2">{when}</p> : null}
        {budget ? <p className="text-[0.8125rem] text-pretty text-on-ink-2 lg:ml-auto">{budget}</p> : null}
      </header>
      <div className="grid flex-1">{children}</div>
      {note ? (
        <>
          <p className="mt-3 hidden text-[0.8125rem]/5 text-pretty text-on-ink-2 sm:block">{note}</p>
          <details className="text-[0.8125rem]/5 text-on-ink-2 sm:hidden">
            <summary className="inline-flex min-h-11 cursor-pointer items-center underline underline-offset-4">
              O que estes números contam
            </summary>
            <p className="pb-2 text-pretty">{note}</p>
          </details>
        </>
      ) : null}
    </section>
  )
}
