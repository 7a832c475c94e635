import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Field, Params } from './fieldKinds';
import { paramsReader, type ParamsContext } from './params';

type TriggerContext = IHookFunctions | IPollFunctions | IWebhookFunctions;

/**
 * The values of a trigger's fields. A trigger has no items, so everything is read as for the first.
 *
 * @throws InputProblem that names the field and says what it should hold
 */
export function readTriggerParams<const F extends readonly Field[]>(
	context: TriggerContext,
	fields: F,
): Params<F> {
	const source = {
		getNodeParameter: (name: string, _item: number, ...others: [unknown?, object?]) =>
			context.getNodeParameter(name, ...others),
		getInputData: () => [],
	};
	return paramsReader(source as ParamsContext, fields)(0) as Params<F>;
}
