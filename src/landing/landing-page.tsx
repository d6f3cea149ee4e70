import type { SiteInfo } from '#contract/site.ts'

export function LandingPage({ site }: { site: SiteInfo }) {
  return (
    <main>
      <h1>{site.brandName}</h1>
      <p>Cartões, débito e PIX para quem vende em alto volume.</p>
      <a href={site.registerUrl}>Abrir Conta</a>
    </main>
  )
}
