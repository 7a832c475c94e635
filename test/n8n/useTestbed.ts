import { startTestbed, type Testbed, type TestbedOptions } from '../../tools/n8n/testbed';
import type { NewWorkflow } from '../../tools/n8n/n8nRestClient';

/** An n8n and a service for the tests of a file. */
export function useTestbed(options?: TestbedOptions): Testbed {
	let started: Testbed | undefined;
	beforeAll(async () => {
		started = await startTestbed(options);
	}, 900_000);
	afterAll(async () => await started?.close());
	// A restart replaces parts of it.
	return new Proxy({} as Testbed, {
		get: (_target, name) => Reflect.get(started ?? {}, name) as unknown,
	});
}

/** Publishes workflows. After each test they are unpublished, and the service is empty again. */
export function usePublishing(bed: Testbed): (workflow: NewWorkflow) => Promise<string> {
	const published: string[] = [];
	afterEach(async () => {
		for (const id of published.splice(0)) await bed.n8n.rest.unpublish(id).catch(() => undefined);
		bed.sandbox.reset();
	});
	return async (workflow) => {
		const { id } = await bed.n8n.rest.createWorkflow(workflow);
		published.push(id);
		await bed.n8n.rest.publish(id);
		return id;
	};
}
