export type ServiceId = 'gateway' | 'mobile' | 'analises' | 'security' | 'global' | 'apis'

export interface Service {
  id: ServiceId
  title: string
  features: string[]
}

export const SERVICES: { title: string; explore: string; cards: Service[] } = {
  title: 'Do clique ao saldo, sem trocar de fornecedor.',
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
        'REST previsível, respostas em menos de 2 s',
        'Webhooks assinados',
        'Ambiente de testes igual ao real',
      ],
    },
  ],
}
