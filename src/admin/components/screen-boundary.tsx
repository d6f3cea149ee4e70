import { useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { EmptyState } from './empty-state.tsx'
import { ScreenNotLoaded } from './screen-not-loaded.ts'

/** A screen that breaks is replaced by this; the rest of the dashboard goes on. Trying again asks for everything anew. */
export function ScreenBoundary({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  return <Boundary onRetry={() => queryClient.removeQueries()}>{children}</Boundary>
}

const BROKEN = {
  title: 'Esta tela parou de funcionar',
  text: 'O site e as outras telas continuam no ar. Se acontecer de novo, avise quem cuida do servidor.',
}
/** Nothing is broken: part of the code did not come. */
const NOT_LOADED = {
  title: 'Esta tela não carregou',
  text: 'Uma parte dela não chegou. Verifique sua conexão e tente novamente.',
}

interface BoundaryProps {
  onRetry: () => void
  children: ReactNode
}

/** React offers this to classes alone. */
class Boundary extends Component<BoundaryProps, { failure: { error: unknown } | null }> {
  override state: { failure: { error: unknown } | null } = { failure: null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } }
  }

  #retry = () => {
    if (this.state.failure?.error instanceof ScreenNotLoaded) return location.reload()
    this.props.onRetry()
    this.setState({ failure: null })
  }

  override render() {
    const { failure } = this.state
    if (failure === null) return this.props.children
    return (
      <Card role="alert">
        <EmptyState
          {...(failure.error instanceof ScreenNotLoaded ? NOT_LOADED : BROKEN)}
          action={
            <Button look="outline" onClick={this.#retry}>
              <RotateCw aria-hidden="true" />
              Tentar novamente
            </Button>
          }
        />
      </Card>
    )
  }
}
