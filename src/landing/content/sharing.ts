export const SHARING = {
  title: (brandName: string) => `${brandName}: gateway de pagamentos para alto volume e alto risco`,
  description:
    'Cartões, débito e PIX para alto volume e nichos de alto risco, com taxas até 40% menores que o mercado tradicional, PCI DSS Nível 1 e suporte 24/7.',
  imageAlt: 'Onde outros fecham a porta, seu pagamento passa',
}
