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
