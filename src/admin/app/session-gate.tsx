import { useEffect, useState } from 'react'
import { FullPageSpinner } from '../components/spinner.tsx'
import { useSessionState } from '../features/session/api/session-context.tsx'
import { CodeScreen } from '../features/session/components/code-screen.tsx'
import { LinkScreen } from '../features/session/components/link-screen.tsx'
import { LoginScreen } from '../features/session/components/login-screen.tsx'
import { SessionEndedDialog } from '../features/session/components/session-ended-dialog.tsx'
import { CurrentUserProvider } from '../lib/current-user.tsx'
import { useServices } from '../lib/services.tsx'
import type { MailLink } from '../lib/take-mail-link.ts'
import { Dashboard } from './dashboard.tsx'
import { PersonalCache } from './personal-cache.tsx'

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

  if (state.status === 'checking') return <FullPageSpinner />
  if (link !== null) {
    const onDone = (next: 'login' | 'forgot') => {
      setLink(null)
      setForgot(next === 'forgot')
    }
    return <LinkScreen link={link} onDone={onDone} />
  }
  if (state.status === 'signed-out') return <LoginScreen notice={state.notice} forgot={forgot} />
  if (state.status === 'second-factor' && !state.over)
    return <CodeScreen email={state.user.email} factors={state.factors} />
  return (
    // Another person gets a dashboard of their own, with nothing of the one before.
    <CurrentUserProvider key={state.user.id} user={state.user}>
      <PersonalCache ended={ended}>
        <Dashboard />
      </PersonalCache>
      {ended ? <SessionEndedDialog email={state.user.email} factors={owed} /> : null}
    </CurrentUserProvider>
  )
}
