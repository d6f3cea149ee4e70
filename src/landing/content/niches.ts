export const NICHES = {
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
