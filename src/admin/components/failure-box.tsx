import { adviseOnFailure, describeFailure } from '#contract/error-messages.ts'
import { toFailure } from '../lib/request-error.ts'
import { MessageBox } from './message-box.tsx'

/** The red box of a form: what went wrong, in Portuguese, or `fallback` when the service had nothing useful to say. */
export function FailureBox({ error, fallback }: { error: unknown; fallback: string }) {
  if (!error) return null
  const failure = toFailure(error)
  return (
    <MessageBox look="bad" urgent advice={adviseOnFailure(failure)}>
      {describeFailure(failure, fallback)}
    </MessageBox>
  )
}
