import { useQueryClient } from '@tanstack/react-query'
import { LoaderCircle, RotateCw } from 'lucide-react'
import { Component, type ComponentType, createElement, lazy, type ReactNode, Suspense } from 'react'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { EmptyState } from './message.tsx'

type LazyPart<Props> = ComponentType<Props> & { load: () => Promise<unknown> }

/** A part of the dashboard that is loaded when it is opened, or earlier when idle. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  const make = () =>
    lazy(async () => ({
      default: await load().catch((cause: unknown) => {
        throw new ScreenNotLoaded(cause, () => {
          part = make()
        })
      }),
    })) as unknown as ComponentType<Props>
  let part = make()
  return Object.assign((props: Props) => createElement(part, props), { load })
}

/** A failed one is requested again when it is opened. */
export function loadWhenIdle(parts: readonly { load: () => Promise<unknown> }[]): void {
  const load = () => {
    for (const part of parts) part.load().catch(() => {})
  }
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 5_000 })
  else setTimeout(load, 1000)
}

interface Failure {
  error: unknown
  /** Number of retries. */
  retries: number
  retry: () => void
}

interface ErrorBoundaryProps {
  /** Shown instead of what broke. Errors it throws go to the next boundary. */
  fallback: (failure: Failure) => ReactNode
  onRetry?: () => void
  children: ReactNode
}

interface ErrorBoundaryState {
  failure: { error: unknown } | null
  retries: number
}

/** The only place that catches rendering errors. React offers this to classes only. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failure: null, retries: 0 }

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { failure: { error } }
  }

  override componentWillUnmount() {
    this.#forget()
  }

  /** Code that could not be loaded is requested again. */
  #forget() {
    const error = this.state.failure?.error
    if (error instanceof ScreenNotLoaded) error.forget()
  }

  #retry = () => {
    this.#forget()
    this.props.onRetry?.()
    this.setState(({ retries }) => ({ failure: null, retries: retries + 1 }))
  }

  override render() {
    const { failure, retries } = this.state
    if (failure === null) return this.props.children
    return this.props.fallback({ error: failure.error, retries, retry: this.#retry })
  }
}

/** Around everything: no error leaves an empty page. */
export function RootBoundary({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary
      fallback={() => (
        <main role="alert" className="grid min-h-dvh place-items-center p-4">
          <EmptyState
            title="O painel parou de funcionar"
            text="O site continua no ar. Se acontecer de novo, avise a equipe de TI."
            action={
              <Button look="outline" onClick={() => location.reload()}>
                <RotateCw aria-hidden="true" />
                Recarregar a página
              </Button>
            }
          />
        </main>
      )}
    >
      {children}
    </ErrorBoundary>
  )
}

interface OpenedPartProps {
  onClose: () => void
  /** One part whose code may have to be loaded. */
  children: ReactNode
}

/** A part opened by a click. If its code cannot be loaded, that is shown over the page, which stays. */
export function OpenedPart({ onClose, children }: OpenedPartProps) {
  return (
    <ErrorBoundary
      fallback={({ error, retries, retry }) => {
        // Other errors belong to the screen.
        if (!(error instanceof ScreenNotLoaded)) throw error
        return (
          <NotLoadedDialog
            title="Não foi possível abrir esta janela"
            text={
              retries > 0
                ? 'Ainda sem resposta. Verifique sua conexão e recarregue a página.'
                : 'Verifique sua conexão e tente novamente.'
            }
            onClose={onClose}
          >
            <Button
              look="onInk"
              onClick={retries > 0 ? () => location.reload() : retry}
              className="border-current"
            >
              {retries > 0 ? 'Recarregar a página' : 'Tentar novamente'}
            </Button>
            {/* Closing the dialog returns the focus to what opened it. */}
            <Button look="onInk" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
              Fechar
            </Button>
          </NotLoadedDialog>
        )
      }}
    >
      <Suspense>{children}</Suspense>
    </ErrorBoundary>
  )
}

interface NotLoadedDialogProps {
  title: string
  text?: string
  /** Without it, the dialog stays until something replaces it. */
  onClose?: () => void
  children: ReactNode
}

/** Shows over the page, and over an open form, that something could not be loaded. */
export function NotLoadedDialog({ title, text, onClose, children }: NotLoadedDialogProps) {
  return (
    <dialog
      ref={open}
      aria-labelledby="not-loaded"
      onCancel={(event) => {
        if (onClose === undefined) event.preventDefault()
      }}
      onClose={onClose}
      // An open form treats a click outside of it as a request to close, and blocks all other clicks.
      onPointerDown={(event) => event.stopPropagation()}
      style={{ pointerEvents: 'auto' }}
      className="on-ink m-auto max-w-[min(34rem,calc(100%-2rem))] rounded-2xl p-6 shadow-high"
    >
      <p id="not-loaded" className="text-pretty">
        {title}
      </p>
      {text ? <p className="mt-1 text-[0.9375rem] text-pretty text-on-ink-2">{text}</p> : null}
      <div className="mt-4 flex flex-wrap gap-3">{children}</div>
    </dialog>
  )
}

/** The browser's own dialog needs no code that could fail to load. */
function open(dialog: HTMLDialogElement | null): void {
  if (dialog?.open === false) dialog.showModal()
}

const BROKEN = {
  title: 'Algo deu errado nesta tela',
  text: 'O site e as outras telas continuam funcionando. Tente novamente. Se o erro voltar, avise a equipe de TI.',
}

/** Nothing is broken: part of the code could not be loaded. */
const NOT_LOADED = {
  title: 'Esta tela não carregou',
  text: 'Verifique sua conexão e tente novamente.',
}

/** Replaces a screen that breaks; the rest of the dashboard keeps working. A retry requests everything again. */
export function ScreenBoundary({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  return (
    <ErrorBoundary
      onRetry={() => queryClient.removeQueries()}
      fallback={({ error, retry }) => {
        const isNotLoaded = error instanceof ScreenNotLoaded
        return (
          <Card role="alert">
            <EmptyState
              {...(isNotLoaded ? NOT_LOADED : BROKEN)}
              action={
                <Button look="outline" onClick={isNotLoaded ? () => location.reload() : retry}>
                  <RotateCw aria-hidden="true" />
                  Tentar novamente
                </Button>
              }
            />
          </Card>
        )
      }}
    >
      {children}
    </ErrorBoundary>
  )
}

/** Code of a screen or part could not be loaded: the server is unreachable, or has another version. */
class ScreenNotLoaded extends Error {
  override readonly name = 'ScreenNotLoaded'
  /** Makes the next display request it again; some browsers do not, and only a reload helps. */
  readonly forget: () => void

  constructor(cause: unknown, forget: () => void) {
    super('the code of a screen could not be loaded', { cause })
    this.forget = forget
  }
}

/** Centred, while the session is unknown. */
export function FullPageSpinner() {
  return (
    <main className="grid min-h-dvh place-items-center" aria-busy="true">
      <h1 className="sr-only">Admin Dashboard</h1>
      <p role="status" className="text-text-2">
        <LoaderCircle className="size-9 motion-safe:animate-spin" aria-hidden="true" />
        <span className="sr-only">Carregando</span>
      </p>
    </main>
  )
}
