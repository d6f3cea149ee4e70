import { useQueryClient } from '@tanstack/react-query'
import { LoaderCircle, RotateCw } from 'lucide-react'
import { Component, type ComponentType, createElement, lazy, type ReactNode, Suspense } from 'react'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { EmptyState } from './message.tsx'

type LazyPart<Props> = ComponentType<Props> & { load: () => Promise<unknown> }

/** A part of the dashboard whose code comes when it is opened, or before, once there is time. */
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

/** One that does not come now is asked for again when it is opened. */
export function loadWhenIdle(parts: readonly { load: () => Promise<unknown> }[]): void {
  const load = () => {
    for (const part of parts) part.load().catch(() => {})
  }
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 5_000 })
  else setTimeout(load, 1000)
}

interface Failure {
  error: unknown
  /** How often it was tried again. */
  retries: number
  retry: () => void
}

interface ErrorBoundaryProps {
  /** Shown instead of what broke. What it throws is the next boundary's. */
  fallback: (failure: Failure) => ReactNode
  onRetry?: () => void
  children: ReactNode
}

interface ErrorBoundaryState {
  failure: { error: unknown } | null
  retries: number
}

/** The only place where an error of rendering ends. React offers this to classes alone. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failure: null, retries: 0 }

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { failure: { error } }
  }

  override componentWillUnmount() {
    this.#forget()
  }

  /** Code that did not come is asked for again. */
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
            text="O site continua no ar. Se acontecer de novo, avise quem cuida do servidor."
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
  /** One part, whose code may still have to come. */
  children: ReactNode
}

/** What a click opens. Where its code does not come, that is said over the page, which stays as it is. */
export function OpenedPart({ onClose, children }: OpenedPartProps) {
  return (
    <ErrorBoundary
      fallback={({ error, retries, retry }) => {
        // Whatever else broke is the screen's.
        if (!(error instanceof ScreenNotLoaded)) throw error
        return (
          <NotLoadedDialog
            title="Esta parte não carregou"
            text={
              retries > 0
                ? 'Ainda não chegou. Com a conexão de volta, recarregue a página.'
                : 'Ela não chegou. Verifique sua conexão e tente novamente.'
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
            {/* The dialog's own closing gives the focus back to what opened it. */}
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
  /** Without it, it stays until something else takes its place. */
  onClose?: () => void
  children: ReactNode
}

/** Says over the page, and over a form that may be open, that something did not come. */
export function NotLoadedDialog({ title, text, onClose, children }: NotLoadedDialogProps) {
  return (
    <dialog
      ref={open}
      aria-labelledby="not-loaded"
      onCancel={(event) => {
        if (onClose === undefined) event.preventDefault()
      }}
      onClose={onClose}
      // A form that is open takes a press outside of it for a request to close it, and lets nothing else be pressed.
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

/** The browser's own dialog needs no code that might not come either. */
function open(dialog: HTMLDialogElement | null): void {
  if (dialog?.open === false) dialog.showModal()
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

/** A screen that breaks is replaced by this; the rest of the dashboard goes on. Trying again asks for everything anew. */
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

/** The code of a screen, or of a part of one, did not come: the server is away, or has another version by now. */
class ScreenNotLoaded extends Error {
  override readonly name = 'ScreenNotLoaded'
  /** The next time it is shown, it is asked for again; not every browser does ask again, and there only a new page helps. */
  readonly forget: () => void

  constructor(cause: unknown, forget: () => void) {
    super('the code of a screen could not be loaded', { cause })
    this.forget = forget
  }
}

/** Centred in the window, while it is not yet known who is there. */
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
