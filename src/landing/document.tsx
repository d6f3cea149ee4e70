import type { ReactNode } from 'react'

export interface DocumentAssets {
  /** The whole style sheet, inlined so that nothing blocks the first paint. */
  css: string
  bootScript: string | null
}

interface DocumentProps {
  title: string
  description: string
  assets: DocumentAssets
  children: ReactNode
}

export function Document({ title, description, assets, children }: DocumentProps) {
  return (
    <html lang="pt-BR">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>{title}</title>
        <meta name="description" content={description} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own built style sheet, named by its hash in the policy. */}
        <style dangerouslySetInnerHTML={{ __html: assets.css }} />
        {assets.bootScript !== null && <script type="module" src={assets.bootScript} />}
      </head>
      <body>{children}</body>
    </html>
  )
}
