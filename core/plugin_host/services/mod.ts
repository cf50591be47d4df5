export { packServices } from "./pack_services.ts";
export { asServiceError, serviceFailure } from "./service_failure.ts";
export type { ServiceFailureCode } from "./service_failure.ts";
export type {
  HttpAnswer,
  HttpRequest,
  PackRequest,
  PackServices,
  ServiceAnswer,
  ServiceCall,
  ServiceDecision,
  ServicePack,
  ServicePorts,
  TaskPort,
} from "./service_port.ts";
