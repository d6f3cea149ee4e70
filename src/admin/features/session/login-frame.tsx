import { type ReactNode, useLayoutEffect } from 'react'
import { BrandMark } from '#admin/components/text.tsx'
import { scrollPage } from '#admin/lib/router.tsx'

interface LoginFrameProps {
  title: string
  text: string
  children: ReactNode
  /** At the lower edge. */
  footer: ReactNode
}

/** The frame of every screen before the dashboard: login, codes, emailed links. */
export function LoginFrame({ title, text, children, footer }: LoginFrameProps) {
  // Each of these screens begins at the top, and so does the dashboard after them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another screen
  useLayoutEffect(() => {
    scrollPage(0)
    return () => scrollPage(0)
  }, [title])
  return (
    <main className="on-ink grid min-h-dvh place-items-end-safe justify-center overflow-hidden px-6 pt-22 sm:px-10 sm:pt-18">
      <div className="login-panel flex min-h-[calc(100dvh-120px)] w-full flex-col bg-surface px-8 pt-19 pb-5 text-ink [--focus:var(--ink)] sm:min-h-[min(740px,100dvh-104px)] sm:w-[440px] sm:px-11 sm:pt-26 sm:pb-8">
        <BrandMark className="mx-auto mb-6 w-[39px]" />
        <h1 className="text-center text-[1.75rem] tracking-[-0.035em]">{title}</h1>
        <p className="mx-auto mt-1.5 mb-7 max-w-[22em] text-center text-balance wrap-anywhere text-text-2">
          {text}
        </p>
        <div className="grid gap-4.5">{children}</div>
        <div className="mx-auto mt-auto grid justify-items-center pt-4">{footer}</div>
      </div>
    </main>
  )
}
