import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { FullPageSpinner } from '../components/spinner.tsx'
import { useSessionState } from '../features/session/api/session-context.tsx'
import { LoginScreen } from '../features/session/components/login-screen.tsx'
import { SessionEndedDialog } from '../features/session/components/session-ended-dialog.tsx'
import { CurrentUserProvider } from '../lib/current-user.tsx'
import { useServices } from '../lib/services.tsx'
import { Dashboard } from './dashboard.tsx'

/** Who is there decides what is shown: spinner, login, dashboard, or the dashboard with the login over it. */
export function SessionGate() {
  const { boot } = useServices()
  const state = useSessionState()
  const queryClient = useQueryClient()
  const ended = state.status === 'ended'
  const wasEnded = useRef(false)
  useEffect(() => {
    // What failed for want of a session is asked for again.
    if (wasEnded.current && !ended) void queryClient.invalidateQueries()
    wasEnded.current = ended
  }, [ended, queryClient])
  useEffect(() => {
    if (state.status === 'signed-out') document.title = `Admin Dashboard ${boot.brandName}`
  }, [state.status, boot.brandName])

  if (state.status === 'checking') return <FullPageSpinner />
  if (state.status === 'signed-out') return <LoginScreen notice={state.notice} />
  return (
    // Another person gets a dashboard of their own, with nothing of the one before.
    <CurrentUserProvider key={state.user.id} user={state.user}>
      <Dashboard />
      {ended ? <SessionEndedDialog email={state.user.email} /> : null}
    </CurrentUserProvider>
  )
}
