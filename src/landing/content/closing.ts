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
        'A comparação é com as taxas do mercado tradicional, e 40% é a maior diferença. Para saber a do seu caso, fale com um especialista.',
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
