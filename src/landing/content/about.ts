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
      text: 'Apostas, jogos online, e-books, cursos e multinível têm análise própria, não recusa automática.',
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
