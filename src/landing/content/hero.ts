export const HERO = {
  badge: 'Gateway de pagamentos de nova geração',
  headline: ['Onde outros', 'fecham a porta,', 'seu pagamento', 'passa.'],
  lead: 'Cartões, débito e PIX para quem vende em alto volume, com tíquete baixo ou médio, em nichos de alto risco. Com taxas até 40% menores que o mercado tradicional.',
  picture: 'Cartão, débito e PIX atravessam o pórtico e saem aprovados do outro lado',
  highlights: [
    { title: 'Segurança certificada', text: 'PCI DSS Nível 1 e criptografia em cada transação.' },
    { title: 'Processamento em tempo real', text: 'Da compra à resposta em menos de 2 s.' },
    { title: 'Multimoeda, multipaís', text: 'Receba e pague em 150+ países.' },
  ],
}

/** Illustrative amounts, not figures of the company. */
export const HERO_PAYMENTS = {
  card: { method: 'Cartão', amount: 'R$ 189,90' },
  debit: { method: 'Débito', amount: 'R$ 72,00' },
  pix: { method: 'PIX', amount: 'R$ 49,90' },
}
