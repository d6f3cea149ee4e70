import { useState } from 'react'
import { adviseOnFailure, describeFailure, isSessionOver } from '#contract/error-messages.ts'
import { useSignInMark } from '../lib/current-user.tsx'
import { toFailure } from '../lib/request-error.ts'
import { MessageBox } from './message-box.tsx'

/** The red box of a form: what went wrong, in Portuguese, or `fallback` when the service had nothing useful to say. */
export function FailureBox({ error, fallback }: { error: unknown; fallback: string }) {
  const signIn = useSignInMark()
  const [shown, setShown] = useState({ error, signIn })
  if (shown.error !== error) setShown({ error, signIn })
  if (!error) return null
  const failure = toFailure(error)
  if (isSessionOver(failure) && shown.error === error && shown.signIn !== signIn)
    return <MessageBox look="warn">Você entrou de novo. O pedido não foi feito: tente novamente.</MessageBox>
  return (
    <MessageBox look="bad" urgent advice={adviseOnFailure(failure)}>
      {describeFailure(failure, fallback)}
    </MessageBox>
  )
}
