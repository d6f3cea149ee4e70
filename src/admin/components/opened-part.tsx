import { Component, type ReactNode, Suspense } from 'react'
import { Button } from './button.tsx'
import { NotLoadedDialog } from './not-loaded-dialog.tsx'
import { ScreenNotLoaded } from './screen-not-loaded.ts'

interface OpenedPartProps {
  onClose: () => void
  /** One part, whose code may still have to come. */
  children: ReactNode
}

interface OpenedPartState {
  failure: { error: unknown } | null
  hasRetried: boolean
}

/** What a click opens. Where its code does not come, that is said over the page, which stays as it is. React offers this to classes alone. */
export class OpenedPart extends Component<OpenedPartProps, OpenedPartState> {
  override state: OpenedPartState = { failure: null, hasRetried: false }

  static getDerivedStateFromError(error: unknown): Partial<OpenedPartState> {
    return { failure: { error } }
  }

  override componentWillUnmount() {
    this.#forget()
  }

  #forget() {
    const error = this.state.failure?.error
    if (error instanceof ScreenNotLoaded) error.forget()
  }

  #retry = () => {
    if (this.state.hasRetried) return location.reload()
    this.#forget()
    this.setState({ failure: null, hasRetried: true })
  }

  override render() {
    const { failure, hasRetried } = this.state
    if (failure === null) return <Suspense>{this.props.children}</Suspense>
    // Whatever else broke is the screen's.
    if (!(failure.error instanceof ScreenNotLoaded)) throw failure.error
    return (
      <NotLoadedDialog
        title="Esta parte não carregou"
        text={
          hasRetried
            ? 'Ainda não chegou. Com a conexão de volta, recarregue a página.'
            : 'Ela não chegou. Verifique sua conexão e tente novamente.'
        }
        onClose={this.props.onClose}
      >
        <Button look="onInk" onClick={this.#retry} className="border-current">
          {hasRetried ? 'Recarregar a página' : 'Tentar novamente'}
        </Button>
        {/* The dialog's own closing gives the focus back to what opened it. */}
        <Button look="onInk" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
          Fechar
        </Button>
      </NotLoadedDialog>
    )
  }
}
