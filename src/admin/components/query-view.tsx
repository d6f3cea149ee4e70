import { RotateCw } from 'lucide-react'
import { adviseOnFailure, describeFailure } from '#contract/error-messages.ts'
import { toFailure } from '../lib/api.ts'
import { Button } from './button.tsx'
import { EmptyState } from './message.tsx'

interface LoadFailureProps {
  error: unknown
  fallback: string
  onRetry: () => void
}

export function LoadFailure({ error, fallback, onRetry }: LoadFailureProps) {
  const failure = toFailure(error)
  return (
    <div role="alert">
      <EmptyState
        title={describeFailure(failure, fallback)}
        text={adviseOnFailure(failure) ?? 'Tente de novo em instantes.'}
        action={
          <Button look="outline" onClick={onRetry}>
            <RotateCw aria-hidden="true" />
            Tentar novamente
          </Button>
        }
      />
    </div>
  )
}

export function Skeleton({ className }: { className: string }) {
  return <span className={`block breathing bg-[#e6e8df] ${className}`} />
}
