import { Component, type ComponentProps, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../components/button.tsx'
import { makeSessionEndedDialog } from './lazy-doors.ts'

type DialogProps = ComponentProps<ReturnType<typeof makeSessionEndedDialog>>

/** The login over the page. Where its code does not come, that is said over the page too, and nothing typed is lost. */
export function SessionEnded(props: DialogProps) {
  const [attempt, setAttempt] = useState(() => ({ Dialog: makeSessionEndedDialog(), number: 0 }))
  const retry = () => setAttempt(({ number }) => ({ Dialog: makeSessionEndedDialog(), number: number + 1 }))
  return (
    <LoadBoundary key={attempt.number} fallback={<NotLoaded onRetry={retry} />}>
      <Suspense>
        <attempt.Dialog {...props} />
      </Suspense>
    </LoadBoundary>
  )
}

function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <dialog
      ref={open}
      aria-labelledby="not-loaded"
      onCancel={(event) => event.preventDefault()}
      // A form that is open takes a press outside of it for a wish to close it, and lets nothing else be pressed.
      onPointerDown={(event) => event.stopPropagation()}
      style={{ pointerEvents: 'auto' }}
      className="on-ink m-auto max-w-[34rem] rounded-2xl p-6 shadow-high"
    >
      <p id="not-loaded" className="mb-4 text-pretty">
        A sua sessão terminou, e a tela para entrar de novo não carregou. O que você digitou continua aqui.
      </p>
      <Button look="onInk" onClick={onRetry} className="border-current">
        Tentar novamente
      </Button>
    </dialog>
  )
}

/** Above a form that may be open: the browser's own dialog needs no code that might not come either. */
function open(dialog: HTMLDialogElement | null): void {
  if (dialog?.open === false) dialog.showModal()
}

interface LoadBoundaryProps {
  fallback: ReactNode
  children: ReactNode
}

/** React offers this to classes alone. */
class LoadBoundary extends Component<LoadBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
