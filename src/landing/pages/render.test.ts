import { HtmlValidate } from 'html-validate'
import { describe, expect, test } from 'vitest'
import { textVersionFor } from '#contract/consent-choice.ts'
import type { ActiveToolList } from '#contract/inventory.ts'
import { DEFAULT_BRAND_NAME, type SiteInfo } from '#contract/site.ts'
import { sharePictureSvg } from '#design/share-picture.ts'
import { canonicalHash } from '#server/consent/proof/canonical.ts'
import { CONSENT_TEXTS, emailSharingOf } from '#server/conversions/destinations/destinations.ts'
import { HERO } from '../content/page.ts'
import type { DocumentAssets } from './document.tsx'
import {
  LEGAL_DOCUMENTS,
  LEGAL_TITLES,
  renderConsentNotice,
  renderErrorPage,
  renderLanding,
  renderLegalPage,
  renderNewsletterAnswer,
  renderSummaryPage,
  withActiveTools,
} from './render.tsx'

const SITE: SiteInfo = {
  siteUrl: 'https://arco.example',
  brandName: 'Arco <&> Co',
  contactEmail: 'oi@arco.example',
  contactPhone: '+55 (11) 4000-1234',
  whatsappNumber: '5511940001234',
  loginUrl: 'https://app.arco.example/login',
  registerUrl: 'https://app.arco.example/register',
  linkedinUrl: 'https://www.linkedin.com/company/arco',
  instagramUrl: 'https://www.instagram.com/arco',
  legalName: 'Arco Pagamentos S.A.',
  cnpj: '12.345.678/0001-90',
  dpoEmail: 'dpo@arco.example',
  retention: { consentDays: 1826, auditDays: 730, failedLoginDays: 90, reportDays: 396, visitDays: 761 },
  countsVisits: true,
  logsRequests: false,
}

const ASSETS: DocumentAssets = {
  css: 'body{margin:0}',
  plainCss: 'body{margin:1px}',
  laterCss: '#menu{display:block}',
  contentCss: '',
  bootScript: '/assets/boot.js',
  prefetch: ['/assets/react.js', '/assets/form.js'],
  font: '/assets/font.woff2',
  pictures: {
    icon: '/assets/icon.ico',
    touchIcon: '/assets/touch.png',
    share: '/assets/share.png',
    shareUnnamed: '/assets/unnamed.png',
  },
}

/** Unusual values that an administrator can cause: host names, many cookies, none. */
const TOOLS: ActiveToolList = {
  changed_at: '2026-11-16T05:40:00.000Z',
  tools: [
    {
      category: 'marketing',
      vendor: 'x',
      name: 'Medidor <b>&',
      company: 'Empresa "Aspas" & Filhos',
      country: 'BR',
      purpose: 'Mede </td><script>alert(1)</script>.',
      told_by: ['browser', 'server'],
      cookies: [
        { name: '_a…', duration: '90 dias', purpose: null, domain: null, kind: 'cookie' },
        { name: 'b', duration: 'sessão', purpose: null, domain: 'b.example', kind: 'cookie' },
        { name: 'c', duration: 'até ser apagado', purpose: null, domain: null, kind: 'local_storage' },
      ],
      hosts: ['extra.example'],
    },
    {
      category: 'desempenho',
      vendor: null,
      name: 'Código próprio do site',
      company: null,
      country: null,
      purpose: 'Código próprio.',
      told_by: ['browser'],
      cookies: [],
      hosts: [],
    },
  ],
}

const html = renderLanding(SITE, ASSETS)
const text = html
  .replace(/<(style|script)[\s\S]*?<\/\1>/g, ' ')
  .replace(/<[^>]+>/g, ' ')
  .replace(/\s+/g, ' ')

function linksTo(href: string): string[] {
  const links = html.matchAll(/<a ([^>]*)>(.*?)<\/a>/g)
  return Array.from(links)
    .filter(([, attributes]) => attributes?.includes(`href="${href.replaceAll('&', '&amp;')}"`))
    .map(([, , content = '']) => content.replace(/<[^>]+>/g, ''))
}

describe('required content', () => {
  test.each([
    '50K+',
    '99,9%',
    '24/7',
    '150+',
    '&lt; 2 s',
    'até 40% menores',
    '0%',
    '30',
    'PCI DSS Nível 1',
    'Gateway de pagamentos de nova geração',
    'criptografia',
    'tempo real',
    'Várias moedas e países',
    'Nossa missão',
    'Explorar Todas as Funcionalidades',
    'Não encontrou seu nicho?',
    'Começar Gratuitamente',
    'São Paulo, Brasil',
    '© 2025',
    'Cartões, débito e PIX',
  ])('%s', (words) => {
    expect(text).toContain(words)
  })

  test.each([
    ['home', 'Início'],
    ['about', 'Sobre'],
    ['services', 'Serviços'],
    ['niches', 'Nichos'],
    ['contact', 'Contato'],
  ])('#%s exists and both menus link to it as %s', (id, label) => {
    expect(html.split(` id="${id}"`)).toHaveLength(2)
    expect(linksTo(`#${id}`).filter((found) => found === label).length).toBeGreaterThanOrEqual(2)
  })

  test.each([
    ['services', 6, '<article'],
    ['niches', 8, '<li id='],
    ['benefits', 6, '<div><h3>'],
    ['about', 4, '<div><h3>'],
  ])('%s has %i parts', (id, count, mark) => {
    const section = html.slice(html.indexOf(`id="${id}"`))
    const inside = section.slice(0, section.indexOf('</section>'))
    const parts = inside.split(mark).length - 1
    expect(parts - (id === 'benefits' ? 1 : 0)).toBe(count)
  })

  test.each(['Produtos', 'Nichos', 'Recursos', 'Empresa'])('footer column %s', (title) => {
    expect(html).toContain(`<h3>${title}</h3>`)
  })

  test('shows the questions in the closing section, and the same to search engines', () => {
    const closing = html.slice(html.indexOf('class="close'), html.indexOf('</main>'))
    const asked = Array.from(
      closing.matchAll(/<details><summary>(.*?)<\/summary><p>(.*?)<\/p><\/details>/g),
      ([, question, answer]) => [question, answer],
    )
    const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)?.[1] ?? '')
    const page = data['@graph'].find((part: { '@type': string }) => part['@type'] === 'FAQPage')
    const written = page.mainEntity.map((entry: { name: string; acceptedAnswer: { text: string } }) => [
      entry.name,
      entry.acceptedAnswer.text,
    ])
    expect(written).toEqual(asked)
    expect(written.length).toBeGreaterThanOrEqual(4)
    expect(written.flat().join()).toMatch(/até 40% menos.*mercado tradicional/)
  })

  test.each([
    [null, 'Usamos seu e-mail só para enviar a newsletter. Para cancelar, escreva para oi@arco.example.'],
    [
      { recipients: ['a Meta'], ofCustomers: false },
      'se você aceitou os cookies de marketing, para medir anúncios: ele vai para a Meta em forma de código (hash). Para cancelar, escreva para oi@arco.example.',
    ],
    [
      { recipients: ['a Meta', 'o TikTok', 'o Google'], ofCustomers: true },
      'ele vai para a Meta, o TikTok e o Google em forma de código (hash).',
    ],
  ])('the newsletter form states its purpose (addresses shared: %j)', (emailSharing, purpose) => {
    const site = { ...SITE, emailSharing }
    for (const page of [renderLanding(site, ASSETS), renderNewsletterAnswer(site, ASSETS, 'Pronto')]) {
      const news = page.slice(page.indexOf('id="newsletter"'), page.indexOf('data-island="newsletter"'))
      const text = news.replaceAll('<!-- -->', '')
      expect(text).toContain(purpose)
      expect(text.includes('só para enviar')).toBe(emailSharing === null)
    }
  })

  test('every link to a place of the page has a target', () => {
    for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) {
      // Parts of the drawing are named in the same way.
      expect(html).toMatch(new RegExp(` id="${id}"`))
    }
  })
})

describe('installation-specific text comes from the configuration', () => {
  const whatsapp =
    'https://wa.me/5511940001234?text=Ol%C3%A1!%20Quero%20falar%20com%20um%20especialista%20da%20Arco%20%3C%26%3E%20Co.'
  test.each([
    [
      'registration',
      SITE.registerUrl,
      ['Abrir Conta', 'Abrir Conta', 'Começar Gratuitamente', 'Abra sua conta'],
    ],
    ['login', SITE.loginUrl, ['Acessar Conta', 'Acessar Conta', 'Acessar Conta']],
    [
      'a specialist',
      whatsapp,
      ['Falar com Especialista', 'Falar com Especialista', 'Falar com Especialista', 'Fale conosco'],
    ],
    ['e-mail', 'mailto:oi@arco.example', ['oi@arco.example']],
    ['phone', 'tel:+551140001234', ['+55 (11) 4000-1234']],
    ['encarregado', 'mailto:dpo@arco.example', ['dpo@arco.example']],
  ])('%s', (_name, href, labels) => {
    expect(linksTo(href)).toEqual(labels)
  })

  test('networks, legal name and CNPJ', () => {
    expect(html).toContain('href="https://www.linkedin.com/company/arco" aria-label="LinkedIn"')
    expect(html).toContain('href="https://www.instagram.com/arco" aria-label="Instagram"')
    expect(text).toContain('Arco Pagamentos S.A., CNPJ 12.345.678/0001-90')
  })

  test('a brand name cannot inject markup, and no demo brand is left', () => {
    expect(html).not.toContain('Arco <&>')
    expect(html).not.toContain('Pórtico')
  })

  test('leaves out what is not configured', () => {
    const bare = renderLanding(
      { ...SITE, linkedinUrl: null, instagramUrl: null, legalName: null, cnpj: null, dpoEmail: null },
      ASSETS,
    )
    for (const absent of ['CNPJ', 'Encarregado', 'sameAs', 'null', 'undefined']) {
      expect(bare).not.toContain(absent)
    }
    for (const network of ['LinkedIn', 'Instagram']) {
      expect(bare).toContain(`href="#contact" aria-label="${network}"`)
    }
  })
})

test('the desktop link opens a new tab, those of the phone do not', () => {
  const logins = html.match(/<a [^>]*app\.arco\.example\/login"[^>]*>/g) ?? []
  expect(logins.map((tag) => tag.includes('target="_blank"'))).toEqual([true, false, false])
})

test('marks registrations and conversations as different conversions', () => {
  expect(html.split('data-conversion="lead"').length - 1).toBe(4)
  expect(html.split('data-conversion="contact"').length - 1).toBe(4)
})

test('a page with scripts requests no file before its first frame, one without requests its typeface', () => {
  const preload = '<link rel="preload" as="font" type="font/woff2" href="/assets/font.woff2" crossorigin=""/>'
  const head = html.slice(0, html.indexOf('<body'))
  expect(head.match(/<link [^>]+>/g)).toEqual(['<link rel="canonical" href="https://arco.example/"/>'])
  expect(renderLegalPage(SITE, ASSETS, 'privacidade')).toContain(preload)
  expect(renderErrorPage(SITE, ASSETS, 404)).toContain(preload)
})

describe('sharing and search', () => {
  test('the share picture shows the headline, and the name only if it is the right one', () => {
    const page = renderLanding({ ...SITE, brandName: DEFAULT_BRAND_NAME }, ASSETS)
    expect(page).toContain('<meta property="og:image" content="https://arco.example/assets/share.png"/>')
    for (const name of ['Arco <&> Co', null]) {
      const picture = sharePictureSvg({ name, headline: HERO.headline })
      for (const line of HERO.headline) expect(picture).toContain(`>${line}</text>`)
      expect(picture.includes('>Arco &lt;&amp;> Co</text>')).toBe(name !== null)
    }
  })

  test.each([
    '<html lang="pt-BR"',
    '<link rel="canonical" href="https://arco.example/"/>',
    '<meta property="og:image" content="https://arco.example/assets/unnamed.png"/>',
    '<meta property="og:type" content="website"/>',
    '<meta property="og:url" content="https://arco.example/"/>',
    '"@type":"Organization"',
    '"@type":"WebSite"',
  ])('%s', (part) => {
    expect(html).toContain(part)
  })
})

test('the response to a form post shows its message at the form and is excluded from search engines', () => {
  const answer = renderNewsletterAnswer(SITE, ASSETS, 'Inscrição realizada com sucesso!')
  expect(answer).toContain('<p role="status" id="answer" class="ok">Inscrição realizada com sucesso!</p>')
  expect(answer).toContain('<meta name="robots" content="noindex"/>')
  const refused = renderNewsletterAnswer(SITE, ASSETS, 'Por favor, insira um e-mail válido.')
  expect(refused).toContain(
    '<p role="status" id="answer" class="bad">Por favor, insira um e-mail válido.</p>',
  )
})

describe('the texts about hashed addresses', () => {
  // Records of choices name a text by this hash.
  test.each([
    ['nobody', [], '26d779c2fec3d8421e97a26af7d284b2f1a2011ea49a83822a59c5f5afd059f3'],
    ['Meta alone', ['meta'], '8dbadb45bff18ce1f2fce6ed91264f33766188d15136466e37c4fa1f12e37ed1'],
  ] as const)('are unchanged, to the byte, for %s', (_who, recipients, hash) => {
    const version = textVersionFor(recipients)
    expect(canonicalHash(renderConsentNotice(version, emailSharingOf(version)))).toBe(hash)
  })

  test.each([
    [['meta'], 'newsletter, seu e-mail também vai para a Meta em', 'newsletter, enviamos à Meta o seu'],
    [['google_ads'], 'ou virar cliente, seu e-mail também vai para o Google em', 'enviamos ao Google o seu'],
    [
      ['linkedin', 'meta', 'pinterest', 'tiktok'],
      'vai para a Meta, o TikTok, o Pinterest e o LinkedIn em',
      'ou virou cliente, enviamos à Meta, ao TikTok, ao Pinterest e ao LinkedIn o seu',
    ],
  ] as const)('name exactly %j in banner, preferences, proof and policy', (recipients, said, policy) => {
    const version = textVersionFor(recipients)
    const emailSharing = emailSharingOf(version)
    const site = { ...SITE, emailSharing }
    expect(renderLanding(site, ASSETS)).toContain(said)
    const notice = renderConsentNotice(version, emailSharing)
    expect(notice.text).toContain(said)
    expect(notice.html.split(said)).toHaveLength(3)
    const privacy = renderLegalPage(site, ASSETS, 'privacidade')
    expect(privacy).toContain(policy)
    expect(privacy.includes('nunca enviamos seu nome, e-mail ou')).toBe(!emailSharing?.ofCustomers)
  })

  test('are different for each set of recipients, and each has its own version', () => {
    const notices = CONSENT_TEXTS.map((version) => renderConsentNotice(version, emailSharingOf(version)))
    expect(new Set(notices.map(({ version }) => version)).size).toBe(notices.length)
    expect(new Set(notices.map(({ text }) => text)).size).toBe(notices.length)
    expect(renderLegalPage(SITE, ASSETS, 'privacidade')).not.toContain('hash SHA-256')
  })
})

test('the list of tools says when, who, for what and for how long, and escapes markup', () => {
  const page = renderLegalPage(SITE, ASSETS, 'cookies', TOOLS)
  for (const words of [
    'Lista atualizada em 16 de novembro de 2026, às 02h40 (horário de Brasília).',
    'O restante desta política é de agosto de 2025',
    'Empresa &quot;Aspas&quot; &amp; Filhos, Brasil',
    'Parte das medições é enviada pelo nosso servidor. Também pode enviar dados para extra.example.',
    '<code>b</code> <span>sessão, em b.example</span>',
    '<code>c</code> <span>armazenamento local, até ser apagado</span>',
    'Não envia dados para outros endereços.',
    'Nenhuma ferramenta em uso agora.',
  ])
    expect(page).toContain(words)
  expect(page).not.toContain('<script>alert')
  const { sections } = withActiveTools(LEGAL_DOCUMENTS.cookies(SITE), TOOLS, SITE)
  expect(sections).toHaveLength(LEGAL_DOCUMENTS.cookies(SITE).sections.length + 1)
  expect(JSON.stringify(sections.at(-1))).not.toMatch(/null|undefined/)
  expect(JSON.stringify(sections.at(-1))).toContain(
    'Grava _a…, 90 dias; b, sessão, em b.example; c, armazenamento local, até ser',
  )
})

test('pages of a site that counts no visits neither speak of counting nor ask for it', () => {
  const pages = (site: SiteInfo) => [
    renderLanding(site, ASSETS),
    ...LEGAL_TITLES.map(({ slug }) =>
      renderLegalPage(site, ASSETS, slug, slug === 'cookies' ? TOOLS : undefined),
    ),
    JSON.stringify(withActiveTools(LEGAL_DOCUMENTS.cookies(site), TOOLS, site)),
  ]
  const COUNTING = /contamos visitas|não contar|visitas não são contadas|portico_nao_contar/i
  expect(pages(SITE).filter((page) => COUNTING.test(page))).toHaveLength(3)
  expect(pages({ ...SITE, countsVisits: false }).filter((page) => COUNTING.test(page))).toEqual([])
  expect(renderLanding(SITE, ASSETS)).not.toContain('data-off')
  expect(renderLanding({ ...SITE, countsVisits: false }, ASSETS)).toContain('<html lang="pt-BR" data-off')
})

describe('valid HTML', () => {
  const validator = new HtmlValidate({ extends: ['html-validate:standard', 'html-validate:a11y'] })
  test.each<[string, string]>([
    ['landing', html],
    [
      'newsletter answer',
      renderNewsletterAnswer(SITE, ASSETS, 'Ocorreu um erro. Tente novamente mais tarde.'),
    ],
    ['404', renderErrorPage(SITE, ASSETS, 404)],
    ['500', renderErrorPage(SITE, ASSETS, 500)],
    ['end of the summary', renderSummaryPage(SITE, ASSETS, 'ask')],
    ['cookies, with tools', renderLegalPage(SITE, ASSETS, 'cookies', TOOLS)],
    ...LEGAL_TITLES.map(({ slug }) => [slug, renderLegalPage(SITE, ASSETS, slug)] satisfies [string, string]),
  ])('%s', async (_name, page) => {
    const report = await validator.validateString(page)
    expect(
      report.results.flatMap((result) =>
        result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`),
      ),
    ).toEqual([])
  })
})
