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
      text: 'O dia comum e o dia do lançamento correm na mesma infraestrutura.',
    },
    {
      title: 'Entrada sem atrito',
      text: '0% de taxa de setup e 30 dias grátis para testar com vendas reais.',
    },
  ],
}

export const TECHNOLOGY = {
  title: 'Tecnologia que você só notaria se faltasse',
  text: 'Infraestrutura redundante, monitorada o tempo todo.',
  figures: [
    { label: 'Disponibilidade', value: '99,9%' },
    { label: 'Resposta', value: '< 2 s' },
    { label: 'Monitoramento', value: '24/7' },
    { label: 'Países', value: '150+' },
  ],
}
