import { Component, type ComponentProps, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../components/button.tsx'
import { NotLoadedDialog } from '../components/not-loaded-dialog.tsx'
import { makeSessionEndedDialog } from './lazy-doors.ts'

type DialogProps = ComponentProps<ReturnType<typeof makeSessionEndedDialog>>

/** The login over the page. Where its code does not come, that is said over the page too, and nothing typed is lost. */
export function SessionEnded(props: DialogProps) {
  const [attempt, setAttempt] = useState(() => ({ Dialog: makeSessionEndedDialog(), number: 0 }))
  const retry = () => setAttempt(({ number }) => ({ Dialog: makeSessionEndedDialog(), number: number + 1 }))
  return (
    <LoadBoundary
      key={attempt.number}
      fallback={
        <NotLoadedDialog title="A sua sessão terminou, e a tela para entrar de novo não carregou. O que você digitou continua aqui.">
          <Button look="onInk" onClick={retry} className="border-current">
            Tentar novamente
          </Button>
        </NotLoadedDialog>
      }
    >
      <Suspense>
        <attempt.Dialog {...props} />
      </Suspense>
    </LoadBoundary>
  )
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
