import { LoaderCircle } from 'lucide-react'

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
