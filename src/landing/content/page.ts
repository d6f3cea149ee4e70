import type { NICHE_SLUGS } from '#contract/site-content.ts'

export const ABOUT = {
  title: 'Feito para quem o sistema financeiro deixou do lado de fora.',
  mission:
    'Nossa missão é dar a toda operação séria o acesso a pagamentos que só as grandes redes tinham: aprovação em tempo real, preço justo e regras claras desde o início.',
  figures: [
    { label: 'Clientes ativos', value: '50K+' },
    { label: 'Disponibilidade', value: '99,9%' },
    { label: 'Suporte', value: '24/7' },
    { label: 'Países', value: '150+' },
  ],
  reasons: [
    {
      title: 'Risco é o ponto de partida',
      text: 'Apostas, e-books, cursos, jogos online e multinível passam por análise própria, sem recusa automática.',
    },
    {
      title: 'Custo que cabe no tíquete',
      text: 'Taxas até 40% menores, também nas vendas de valor baixo.',
    },
    {
      title: 'Três meios, um contrato',
      text: 'Cartões, débito e PIX na mesma integração e no mesmo extrato.',
    },
    {
      title: 'Gente do outro lado',
      text: 'Especialistas 24/7, em português, que conhecem o seu segmento.',
    },
  ],
}

export const BENEFITS = {
  title: 'Menos taxa, menos recusa, menos espera.',
  chart: {
    picture: 'Taxas até 40% menores que o mercado tradicional',
    others: 'Mercado tradicional',
    saving: '40%',
  },
  cards: [
    {
      title: 'Taxas até 40% menores',
      text: 'Em alto volume, cada ponto de taxa é margem. A diferença fica no seu caixa.',
    },
    {
      title: 'Mais vendas aprovadas',
      text: 'Cada cobrança segue pelo caminho com mais chance de aprovação.',
    },
    {
      title: 'Saldo em tempo real',
      text: 'Você vê a venda no extrato no instante em que ela acontece.',
    },
    {
      title: 'Fraude barrada antes',
      text: 'Regras ajustadas ao seu nicho, sem travar o bom cliente.',
    },
    {
      title: 'Pronto para o pico',
      text: 'A mesma infraestrutura atende o dia comum e o dia do lançamento.',
    },
    {
      title: 'Comece sem burocracia',
      text: '0% de taxa de setup e 30 dias grátis para testar com vendas reais.',
    },
  ],
}

export const TECHNOLOGY = {
  title: 'Tecnologia que não deixa você na mão',
  text: 'Infraestrutura redundante, monitorada o tempo todo.',
  figures: [
    { label: 'Disponibilidade', value: '99,9%' },
    { label: 'Resposta', value: '< 2 s' },
    { label: 'Monitoramento', value: '24/7' },
    { label: 'Países', value: '150+' },
  ],
}

/** Nothing here that the sections above do not say. */
export const QUESTIONS = {
  title: 'Perguntas frequentes',
  list: [
    {
      question: 'Quem pode abrir conta?',
      answer:
        'Quem vende em alto volume, com tíquete baixo ou médio, e quem atua em nichos de alto risco: jogos online, casas de apostas, e-books, cursos, produtos digitais, plataformas multinível e segmentos que os bancos recusam.',
    },
    {
      question: 'O que quer dizer “até 40% menos”?',
      answer:
        'Comparamos com as taxas do mercado tradicional: 40% é a maior diferença possível. Para saber a do seu caso, fale com um especialista.',
    },
    {
      question: 'Quanto custa começar?',
      answer: 'A taxa de setup é 0%, e os primeiros 30 dias são de teste grátis.',
    },
    {
      question: 'Quais meios de pagamento posso aceitar?',
      answer: 'Cartões, débito e PIX, com resposta em tempo real.',
    },
    {
      question: 'Como os pagamentos são protegidos?',
      answer: 'Com certificação PCI DSS Nível 1, criptografia em cada transação e monitoramento 24/7.',
    },
  ],
}

/** Titles of what the site's content file adds. */
export const FACTS = {
  fees: {
    title: 'Quanto você paga em cada venda.',
    text: 'As taxas por meio de pagamento e o prazo para receber. O que está aqui é o que vem no contrato.',
    simulate: 'Simular meu custo',
    simulator: 'Simule o seu mês',
  },
  clients: 'Quem já vende com a gente.',
  company: {
    title: 'Antes de assinar, confira.',
    start: 'Para abrir a conta',
    technical: 'Para quem vai integrar',
    trust: 'Quem responde pela operação',
  },
}

export const CLOSING = {
  title: 'A porta está aberta.',
  text: 'Abra a conta hoje, integre no seu ritmo e decida depois de um mês de vendas.',
  start: 'Começar Gratuitamente',
  figures: [
    { label: 'taxa de setup', value: '0%' },
    { label: 'dias de teste grátis', value: '30' },
    { label: 'suporte técnico', value: '24/7' },
  ],
}

/** The target of a footer link: a place of the page or an external address. */
export type FooterTarget = `#${string}` | 'register' | 'whatsapp'

interface FooterColumn {
  title: string
  links: { label: string; to: FooterTarget }[]
}

export const FOOTER = {
  blurb: 'Gateway de pagamentos para alto volume e nichos de alto risco.',
  city: 'São Paulo, Brasil',
  newsletter: {
    title: 'Taxas, PIX e regras novas, direto no seu e-mail.',
    purpose: 'Usamos seu e-mail só para enviar a newsletter.',
    /** While active pixels send hashed addresses. */
    purposeWithHash: (recipients: string) =>
      `Usamos seu e-mail para enviar a newsletter e, se você aceitou os cookies de marketing, para medir anúncios: ele vai para ${recipients} em forma de código (hash).`,
    cancel: 'Para cancelar, escreva para',
    label: 'Seu e-mail',
    placeholder: 'voce@empresa.com.br',
    submit: 'Inscrever',
    sending: 'Enviando...',
  },
  preferences: 'Preferências de cookies',
}

export const FOOTER_COLUMNS: FooterColumn[] = [
  {
    title: 'Produtos',
    links: [
      { label: 'Gateway', to: '#gateway' },
      { label: 'Pagamentos móveis', to: '#mobile' },
      { label: 'Saques globais', to: '#global' },
      { label: 'APIs rápidas', to: '#apis' },
    ],
  },
  {
    title: 'Nichos',
    links: [
      { label: 'E-commerce', to: '#ecommerce' },
      { label: 'Gaming', to: '#gaming' },
      { label: 'Educação', to: '#educacao' },
      { label: 'Saúde e bem-estar', to: '#saude' },
    ],
  },
  {
    title: 'Recursos',
    links: [
      { label: 'Benefícios', to: '#benefits' },
      { label: 'Tecnologia', to: '#technology' },
      { label: 'Segurança', to: '#security' },
      { label: 'Análises', to: '#analises' },
    ],
  },
  {
    title: 'Empresa',
    links: [
      { label: 'Sobre', to: '#about' },
      { label: 'Fale conosco', to: 'whatsapp' },
      { label: 'Abra sua conta', to: 'register' },
    ],
  },
]

export function copyrightLine(brandName: string): string {
  return `© 2025 ${brandName}. Todos os direitos reservados.`
}

export const HERO = {
  badge: 'Gateway de pagamentos de nova geração',
  headline: ['Onde outros', 'fecham a porta,', 'seu pagamento', 'passa.'],
  lead: 'Cartões, débito e PIX para quem vende em alto volume, com tíquete baixo ou médio, em nichos de alto risco. Com taxas até 40% menores que o mercado tradicional.',
  picture: 'Cartão, débito e PIX atravessam o pórtico e saem aprovados do outro lado',
  highlights: [
    { title: 'Segurança certificada', text: 'PCI DSS Nível 1 e criptografia em cada transação.' },
    { title: 'Processamento em tempo real', text: 'Da compra à resposta em menos de 2 s.' },
    { title: 'Várias moedas e países', text: 'Receba e pague em 150+ países.' },
  ],
}

/** Illustrative amounts, not figures of the company. */
export const HERO_PAYMENTS = {
  card: { method: 'Cartão', amount: 'R$ 189,90' },
  debit: { method: 'Débito', amount: 'R$ 72,00' },
  pix: { method: 'PIX', amount: 'R$ 49,90' },
}

export const NAVIGATION = [
  { id: 'home', label: 'Início' },
  { id: 'about', label: 'Sobre' },
  { id: 'services', label: 'Serviços' },
  { id: 'niches', label: 'Nichos' },
  { id: 'contact', label: 'Contato' },
] as const

export const LOGIN_LABEL = 'Acessar Conta'

export const REGISTER_LABEL = 'Abrir Conta'

export const SPECIALIST_LABEL = 'Falar com Especialista'

export const NICHES: {
  title: string
  cards: { id: (typeof NICHE_SLUGS)[number]; name: string; text: string }[]
  other: { title: string; text: string }
} = {
  title: 'Oito mercados que conhecemos por dentro.',
  cards: [
    { id: 'ecommerce', name: 'E-commerce', text: 'Picos de venda sem fila no checkout' },
    {
      id: 'comunidades',
      name: 'Comunidades específicas',
      text: 'Assinaturas, clubes e plataformas multinível',
    },
    { id: 'gaming', name: 'Gaming', text: 'Jogos online e casas de apostas' },
    { id: 'imobiliario', name: 'Imobiliário', text: 'Sinal, aluguel e parcelas recorrentes' },
    { id: 'automotivo', name: 'Automotivo', text: 'Peças, serviços e reservas' },
    { id: 'educacao', name: 'Educação', text: 'Cursos, e-books e produtos digitais' },
    { id: 'arte', name: 'Arte e cultura', text: 'Ingressos, obras e direitos autorais' },
    { id: 'saude', name: 'Saúde e bem-estar', text: 'Consultas, planos e programas' },
  ],
  other: {
    title: 'Não encontrou seu nicho?',
    text: 'Segmentos que os bancos recusam são a nossa rotina. Conte o que você vende.',
  },
}

export type ServiceId = 'gateway' | 'mobile' | 'analises' | 'security' | 'global' | 'apis'

interface Service {
  id: ServiceId
  title: string
  features: string[]
}

export const SERVICES: { title: string; picture: string; explore: string; cards: Service[] } = {
  title: 'Do clique ao saldo, sem trocar de fornecedor.',
  picture: 'O painel com as vendas do dia e o checkout com cartão, PIX e débito, com valores de exemplo',
  explore: 'Explorar Todas as Funcionalidades',
  cards: [
    {
      id: 'gateway',
      title: 'Gateway de pagamento',
      features: [
        'Cartões, débito e PIX no mesmo checkout',
        'Retentativa automática de cobranças',
        'Conciliação transação a transação',
      ],
    },
    {
      id: 'mobile',
      title: 'Pagamentos móveis',
      features: [
        'QR Code PIX na tela do cliente',
        'Link de pagamento por mensagem',
        'Checkout leve em qualquer celular',
      ],
    },
    {
      id: 'global',
      title: 'Pagamentos e saques globais',
      features: [
        'Feito para nichos de alto risco',
        'Várias moedas, 150+ países',
        'Saques em lote para a sua base',
      ],
    },
    {
      id: 'analises',
      title: 'Análises avançadas',
      features: ['Aprovação por meio, nicho e horário', 'Painel em tempo real', 'Relatórios para exportar'],
    },
    {
      id: 'security',
      title: 'Segurança avançada',
      features: ['PCI DSS Nível 1', 'Antifraude em cada transação', 'Criptografia em trânsito e em repouso'],
    },
    {
      id: 'apis',
      title: 'APIs rápidas',
      features: [
        'API REST com respostas em menos de 2 s',
        'Webhooks assinados',
        'Ambiente de testes igual ao real',
      ],
    },
  ],
}

export const SHARING = {
  title: (brandName: string) => `${brandName}: gateway de pagamentos para alto volume e alto risco`,
  description:
    'Cartões, débito e PIX para alto volume e nichos de alto risco, com taxas até 40% menores que o mercado tradicional, PCI DSS Nível 1 e suporte 24/7.',
  imageAlt: 'Onde outros fecham a porta, seu pagamento passa',
}
