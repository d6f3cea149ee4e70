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
    if (this.state.failure === null) return this.props.children
    return (
      <Card role="alert">
        <EmptyState
          title="Esta tela parou de funcionar"
          text="O site e as outras telas continuam no ar. Se acontecer de novo, avise quem cuida do servidor."
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
