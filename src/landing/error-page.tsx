import type { SiteInfo } from '#contract/site.ts'

const TEXTS = {
  404: {
    title: 'Esta porta não existe.',
    text: 'A página que você procura mudou de lugar ou nunca esteve aqui.',
  },
  500: {
    title: 'Algo deu errado do nosso lado.',
    text: 'Já registramos o erro. Tente novamente em instantes.',
  },
} as const

export function ErrorPage({ site, status }: { site: SiteInfo; status: 404 | 500 }) {
  const { title, text } = TEXTS[status]
  return (
    <main>
      <p>{status}</p>
      <h1>{title}</h1>
      <p>{text}</p>
      <a href="/">Voltar para {site.brandName}</a>
    </main>
  )
}
