import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { ScreenBoundary } from '../components/screen-boundary.tsx'
import { FullPageSpinner } from '../components/spinner.tsx'
import { useSessionState } from '../features/session/api/session-context.tsx'
import { CurrentUserProvider } from '../lib/current-user.tsx'
import { useServices } from '../lib/services.tsx'
import type { MailLink } from '../lib/take-mail-link.ts'
import { Dashboard } from './dashboard.tsx'
import { CodeScreen, LinkScreen, LoginScreen, loadDoorsWhenIdle } from './lazy-doors.ts'
import { PersonalCache } from './personal-cache.tsx'
import { SessionEnded } from './session-ended.tsx'

/** Who is there decides what is shown: spinner, login, dashboard, or the dashboard with the login over it. */
export function SessionGate({ link: opened }: { link: MailLink | null }) {
  const { boot } = useServices()
  const state = useSessionState()
  const [link, setLink] = useState(opened)
  const [forgot, setForgot] = useState(false)
  const owed = state.status === 'second-factor' ? state.factors : []
  const ended = state.status === 'ended' || owed.length > 0
  useEffect(() => {
    if (state.status === 'signed-out') document.title = `Admin Dashboard ${boot.brandName}`
  }, [state.status, boot.brandName])

  useEffect(loadDoorsWhenIdle, [])

  if (state.status === 'checking') return <FullPageSpinner />
  if (link !== null) {
    const onDone = (next: 'login' | 'forgot') => {
      setLink(null)
      setForgot(next === 'forgot')
    }
    return (
      <Door>
        <LinkScreen link={link} onDone={onDone} />
      </Door>
    )
  }
  if (state.status === 'signed-out')
    return (
      <Door>
        <LoginScreen notice={state.notice} forgot={forgot} />
      </Door>
    )
  if (state.status === 'second-factor' && !state.over)
    return (
      <Door>
        <CodeScreen email={state.user.email} factors={state.factors} />
      </Door>
    )
  return (
    // Another person gets a dashboard of their own, with nothing of the one before.
    <CurrentUserProvider key={state.user.id} user={state.user}>
      <PersonalCache ended={ended}>
        <Dashboard />
      </PersonalCache>
      {ended ? <SessionEnded email={state.user.email} factors={owed} /> : null}
    </CurrentUserProvider>
  )
}

function Door({ children }: { children: ReactNode }) {
  return (
    <ScreenBoundary>
      <Suspense fallback={<FullPageSpinner />}>{children}</Suspense>
    </ScreenBoundary>
  )
}
