import { companyName, type LegalDocument, type LegalParties } from './legal-document.ts'

export function termsOfUse(parties: LegalParties): LegalDocument {
  return {
    intro: `Estes termos valem entre você e a ${companyName(parties)} para o uso deste site e da plataforma de pagamentos. Ao abrir uma conta, você declara que leu e aceitou o que segue.`,
    sections: [
      {
        title: 'Elegibilidade',
        blocks: [
          'Podem abrir conta pessoas jurídicas regularmente constituídas e pessoas físicas com 18 anos ou mais e plena capacidade civil. Quem representa uma empresa declara ter poderes para isso.',
          'A abertura depende de análise cadastral e de risco. Segmentos regulados, como apostas de quota fixa, precisam comprovar a autorização exigida em lei.',
        ],
      },
      {
        title: 'Uso da plataforma',
        blocks: [
          'Você se compromete a usar a plataforma de forma lícita e a:',
          [
            'vender somente o que a lei permite e descrever com clareza produto, preço e política de reembolso;',
            'não processar transações de terceiros sem contrato nem simular vendas;',
            'não tentar contornar limites, regras antifraude ou medidas de segurança;',
            'responder às contestações (chargebacks) e aos pedidos de documentos nos prazos informados.',
          ],
          'Podemos suspender operações diante de indício de fraude, ordem de autoridade ou violação destes termos, com aviso sempre que a lei permitir. Tarifas, prazos e reservas constam da proposta comercial aceita por você.',
        ],
      },
      {
        title: 'Segurança da conta',
        blocks: [
          'Suas credenciais e chaves de API são pessoais e sigilosas. Ative a verificação em duas etapas, limite o acesso da sua equipe e avise-nos imediatamente em caso de suspeita de uso indevido. Operações feitas com as suas credenciais antes do aviso são consideradas suas, salvo falha comprovada do nosso serviço.',
        ],
      },
      {
        title: 'Propriedade intelectual',
        blocks: [
          `Marca, software, documentação, textos e desenhos da ${parties.brandName} são protegidos por lei. Durante o contrato, você recebe uma licença limitada, não exclusiva e intransferível de uso. Os seus dados e a sua marca continuam seus.`,
        ],
      },
      {
        title: 'Limites de responsabilidade',
        blocks: [
          'Prestamos o serviço com diligência, com meta de disponibilidade de 99,9%. Não respondemos por produto ou serviço vendido por você, por indisponibilidade de bancos, bandeiras ou redes de terceiros, nem por caso fortuito ou força maior.',
          'Nas relações entre empresas, a responsabilidade limita-se às tarifas pagas nos doze meses anteriores ao fato. Nada aqui afasta direitos que a lei não permite limitar, como os do consumidor, nem a responsabilidade por dolo ou culpa grave.',
        ],
      },
      {
        title: 'Mudanças nestes termos',
        blocks: [
          'Podemos alterar estes termos com aviso de 30 dias neste site ou por e-mail, salvo quando a lei ou um regulador exigir prazo menor. Se você não concordar, pode encerrar a conta sem custo antes da vigência.',
        ],
      },
      {
        title: 'Lei aplicável e foro',
        blocks: [
          'Estes termos seguem as leis da República Federativa do Brasil. Fica eleito o foro da Comarca de São Paulo, SP, ressalvado o direito do consumidor de propor ação no próprio domicílio.',
          `Dúvidas: ${parties.contactEmail}.`,
        ],
      },
    ],
  }
}
