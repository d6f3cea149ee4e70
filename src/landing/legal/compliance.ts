import { companyName, type LegalDocument, type LegalParties } from './legal-document.ts'

export function complianceProgram(parties: LegalParties): LegalDocument {
  return {
    intro: `Atender nichos de alto risco exige controles mais rigorosos, não menos. Este é o programa de integridade da ${companyName(parties)}, que vale para administradores, equipe, parceiros e clientes.`,
    sections: [
      {
        title: 'Prevenção à lavagem de dinheiro',
        blocks: [
          'Seguimos a Lei nº 9.613/1998 e as normas do Banco Central e do Coaf aplicáveis, com abordagem baseada em risco:',
          [
            'identificação e qualificação de clientes, sócios e beneficiários finais antes da primeira transação;',
            'verificação de pessoas expostas politicamente e reforço da diligência em segmentos sensíveis;',
            'atualização cadastral periódica e limites coerentes com a atividade declarada;',
            'guarda de cadastros e registros pelos prazos legais.',
          ],
        ],
      },
      {
        title: 'Combate ao financiamento do terrorismo',
        blocks: [
          'Consultamos listas restritivas nacionais e internacionais, inclusive as do Conselho de Segurança das Nações Unidas. Diante de uma correspondência confirmada, bloqueamos os ativos sem demora e comunicamos as autoridades, conforme as Leis nº 13.260/2016 e nº 13.810/2019.',
        ],
      },
      {
        title: 'Monitoramento de transações suspeitas',
        blocks: [
          'Todas as transações passam por regras e modelos que buscam fracionamento, valores incompatíveis, uso de contas de terceiros e outros sinais. Alertas são analisados por especialistas, e o que for suspeito é comunicado ao Coaf no prazo legal, sem aviso ao envolvido.',
        ],
      },
      {
        title: 'Auditorias',
        blocks: [
          'O programa é testado por auditoria interna e por auditores independentes ao menos uma vez por ano. A certificação PCI DSS Nível 1 é renovada por avaliador credenciado. Os achados têm responsável, prazo e acompanhamento da diretoria.',
        ],
      },
      {
        title: 'Treinamento',
        blocks: [
          'Toda a equipe é treinada na admissão e a cada ano em prevenção à lavagem de dinheiro, proteção de dados, segurança da informação e anticorrupção. Áreas de risco recebem formação específica.',
        ],
      },
      {
        title: 'Ética e conduta',
        blocks: [
          'Não toleramos corrupção, suborno, fraude, discriminação nem assédio (Lei nº 12.846/2013). Brindes, conflitos de interesse e relações com agentes públicos seguem regras escritas. Quem viola o código responde por isso, qualquer que seja o cargo.',
        ],
      },
      {
        title: 'Canal de denúncias',
        blocks: [
          `Relate desvios para ${parties.contactEmail}, com o assunto “Canal de denúncias”. O relato pode ser anônimo, é tratado com sigilo por pessoas sem ligação com o fato, e ninguém sofre retaliação por relatar de boa-fé.`,
        ],
      },
    ],
  }
}
